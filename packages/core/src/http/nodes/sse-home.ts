import type { JsonRpcResponse, RequestId } from '../../protocol/jsonrpc.ts'
import type { ChangeRecord, SessionKeeper } from '../../session/session-keeper.ts'
import type { Session } from '../../session/session.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { ServedServer } from '../served-server.ts'
import type { SharedRecord } from '../sessions/shared-record.ts'
import { type LinkedSession, SessionLink, type SessionNetwork } from './session-link.ts'

export interface SseHomeParts {
  readonly session: Session
  readonly server: ServedServer
  readonly record: SharedRecord
  readonly network: SessionNetwork
  /** Sends a notice on the event stream. */
  readonly notify: (frame: string) => void
  /** Ends the stream, because another process has ended the session. */
  readonly forget: () => void
}

/** An HTTP+SSE session at the node that writes its stream. */
export class SseHome implements LinkedSession, SessionKeeper {
  readonly session: Session
  readonly server: ServedServer
  readonly record: SharedRecord
  readonly link: SessionLink
  readonly standalone: LinkedSession['standalone']
  readonly forget: () => void

  constructor({ session, server, record, network, notify, forget }: SseHomeParts) {
    this.session = session
    this.server = server
    this.record = record
    this.standalone = { send: notify }
    this.forget = forget
    this.link = new SessionLink(this, record, network)
    session.keeper = this
  }

  get key(): SessionKey {
    const { principal, id } = this.session.record
    return { principal, id }
  }

  get node(): string {
    return this.link.node
  }

  recordChanged(change: ChangeRecord): Awaitable<void> {
    return this.link.save(change)
  }

  /** The session ends with its stream, which deletes the record. */
  sessionClosed(): void {}

  answerElsewhere(response: JsonRpcResponse): boolean {
    return this.link.answerElsewhere(response)
  }

  cancelAnywhere(id: RequestId): boolean {
    this.link.cancel(id)
    return true
  }
}
