import { initialize } from '../../session/initialize.ts'
import { CoalescingQueue } from '../../subscriptions/coalescing-queue.ts'
import { PendingWork } from '../../util/pending-work.ts'
import type { Deadline, Due } from '../../util/timers.ts'
import type { EndpointContext } from '../context.ts'
import { refuse } from '../refusals.ts'
import type { ServedServer } from '../servers/served-server.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { formatEvent, messageEvent } from '../streams/sse-format.ts'
import { createSseWriter, readerOf, type SseWriter } from '../streams/sse-writer.ts'
import type { HttpReply, Reply } from '../types.ts'
import { type Posted, SseConversation, type SseInitialize, type SseOpening } from './sse-conversation.ts'

interface SseConnectionOptions {
  readonly context: EndpointContext
  readonly sessions: SessionTable
  readonly id: string
  readonly principal: string
  readonly server: ServedServer
  /** The request that opened the event stream. */
  readonly opened: Posted
  /** Called once, when the connection has ended. */
  readonly onClose: (connection: SseConnection) => void
}

/**
 * Serves one client of the HTTP+SSE transport: an event stream that carries all messages from the server, and
 * the session that `initialize` opens on this stream. The stream and the session end together.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class SseConnection implements Due {
  deadline: Deadline | undefined
  readonly id: string
  readonly principal: string
  readonly server: ServedServer
  readonly opened: Posted
  readonly #options: SseConnectionOptions
  readonly #writer: SseWriter
  readonly #conversation: SseConversation
  readonly #unanswered: PendingWork
  #closed = false

  constructor(options: SseConnectionOptions) {
    const { context, id, principal, server, opened } = options
    this.#options = options
    this.id = id
    this.principal = principal
    this.server = server
    this.opened = opened
    const close = (): void => this.close()
    this.#writer = createSseWriter(context, {
      overflow: 'drop',
      notices: new CoalescingQueue(context.options.outboundLimit),
      server,
      sessionId: id,
      onExpired: close,
      onDisconnect: close,
    })
    this.#unanswered = new PendingWork(context.clock)
    this.#conversation = new SseConversation({
      context,
      server,
      id,
      writer: this.#writer,
      unanswered: this.#unanswered,
      open: (request) => this.#open(request),
      onFailure: close,
    })
  }

  /** Returns the reply that carries the stream. The first event contains the URL for messages. */
  connect(address: string): HttpReply {
    const { request, caller } = this.opened
    this.#writer.writeAlways(formatEvent({ event: 'endpoint', data: address }))
    return this.#writer.reply(readerOf(request, caller))
  }

  /** Adopts the credentials of a message, so that a client that renews its credentials can keep its stream. */
  renew(expiresAt: number | undefined): void {
    this.#writer.expiresAt = expiresAt
  }

  /** Called when the time to initialize a session has run out. */
  due(): void {
    if (this.#conversation.session === undefined) this.close()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    const { session } = this.#conversation
    if (session !== undefined) {
      session.close()
      this.server.removeSession(session)
    }
    this.#options.onClose(this)
    // The session has already ended its calls. Their responses are the last events.
    void this.#unanswered.flushed().then(() => this.#writer.end())
  }

  /** Handles a message that the client has posted. Responses follow on the stream. */
  receive(value: unknown, posted: Posted): Reply {
    // The connection may have closed while the body was being read.
    return this.#closed ? refuse('noConnection') : this.#conversation.receive(value, posted)
  }

  async #open(request: SseInitialize): Promise<SseOpening> {
    const { server, principal, id } = this
    const { session, frame } = await initialize(server.runtime, { ...request, principal, id })
    if (this.#closed) {
      session?.close()
      return refuse('noConnection')
    }
    if (session === undefined) return { session, frame }
    this.#conversation.session = session
    session.attach({
      send: (notice) => void this.#writer.notify(messageEvent(notice)),
      ping: (ping) => {
        if (this.#closed) return false
        this.#writer.write(messageEvent(ping))
        return true
      },
    })
    session.onClose(() => this.close())
    this.#options.sessions.start(session, server, { resumed: false })
    return { session, frame }
  }
}
