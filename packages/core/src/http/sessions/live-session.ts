import type { SessionKey } from '../../stores/session-store.ts'
import type { Session } from '../../session/session.ts'
import type { EventStream } from '../streams/plain-stream.ts'
import type { ResumableStream } from '../streams/resumable-stream.ts'
import type { ServedServer } from '../served-server.ts'
import type { Ranked, LruListOf } from './lru-list.ts'

/** A session in this process, with its streams. */
export class LiveSession implements Ranked<LiveSession> {
  readonly session: Session
  readonly key: SessionKey
  /** The server chosen for it. */
  readonly server: ServedServer
  /** When a request last belonged to it. */
  lastSeen: number
  /** When it was last refreshed in the store. */
  lastTouched: number
  /** Settles when the store has deleted the session; undefined before, or if the store is synchronous. */
  forgotten: Promise<unknown> | undefined
  /** The stream of GET, for messages outside of any request. */
  standalone: EventStream | undefined
  /** The list that it is in. */
  order: LruListOf<LiveSession> | undefined
  older: LiveSession | undefined
  newer: LiveSession | undefined
  #streams: Map<string, ResumableStream> | undefined

  constructor(session: Session, server: ServedServer, now: number) {
    this.server = server
    this.session = session
    this.key = { principal: session.record.principal, id: session.id }
    this.lastSeen = now
    this.lastTouched = now
  }

  stream(token: string): ResumableStream | undefined {
    return this.#streams?.get(token)
  }

  addStream(token: string, stream: ResumableStream): void {
    this.#streams ??= new Map()
    this.#streams.set(token, stream)
  }

  removeStream(token: string): void {
    this.#streams?.delete(token)
  }

  /** Has a running call or a connected stream. */
  get active(): boolean {
    if (this.session.inFlight > 0) return true
    for (const stream of this.#streams?.values() ?? []) if (stream.connected) return true
    return false
  }

  closeStreams(): void {
    for (const stream of this.#streams?.values() ?? []) stream.close()
  }
}
