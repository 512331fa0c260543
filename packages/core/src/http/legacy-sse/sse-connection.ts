import type { Exchange } from '../../call/exchange.ts'
import type { SessionChannel, Session } from '../../session/session.ts'
import type { Due } from '../../util/timers.ts'
import type { EndpointContext } from '../mount.ts'
import { createSseWriter } from '../streams/create-writer.ts'
import type { SseWriter, StreamReader } from '../streams/sse-writer.ts'
import { formatEvent } from '../streams/sse-format.ts'
import type { ServedServer } from '../served-server.ts'
import type { HttpReply } from '../types.ts'

export interface SseConnectionOptions {
  readonly context: EndpointContext
  readonly id: string
  readonly principal: string
  readonly server: ServedServer
  /** Called once, when the connection has ended. */
  readonly onClose: (connection: SseConnection) => void
}

/**
 * One client of the HTTP+SSE transport: an event stream for all messages of the server, and the session that `initialize`
 * opens on it. The stream and the session end together.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class SseConnection implements Exchange, Due {
  readonly duplex = true
  readonly id: string
  readonly principal: string
  readonly server: ServedServer
  /** While `initialize` is being answered. */
  opening = false
  readonly #onClose: (connection: SseConnection) => void
  readonly #writer: SseWriter
  readonly #outlet: SessionChannel = {
    send: (frame) => void this.#writer.notify(messageEvent(frame)),
    ping: (frame) => this.#ping(frame),
  }
  #session: Session | undefined
  #closed = false

  constructor({ context, id, principal, server, onClose }: SseConnectionOptions) {
    this.id = id
    this.principal = principal
    this.server = server
    this.#onClose = onClose
    this.#writer = createSseWriter(context, {
      overflow: 'drop',
      server,
      sessionId: id,
      onExpired: () => this.close(),
      onGone: () => this.close(),
    })
  }

  get session(): Session | undefined {
    return this.#session
  }
  get closed(): boolean {
    return this.#closed
  }
  /** The client sends more requests than it reads responses. Responses are never dropped, so requests must wait. */
  get behind(): boolean {
    return this.#writer.full
  }

  /** The reply that carries the stream. Its first event has the address for messages. */
  connect(address: string, reader: StreamReader): HttpReply {
    this.#writer.writeAlways(formatEvent({ event: 'endpoint', data: address }))
    return this.#writer.reply(reader)
  }

  /** A message had new credentials: a client that renews them keeps its stream. */
  renew(expiresAt: number | undefined): void {
    this.#writer.renew(expiresAt)
  }

  begin(session: Session): void {
    this.#session = session
    session.attach(this.#outlet)
    session.onClose(() => this.close())
  }

  /** Sends a notification of a call, which is dropped if the client is too far behind. */
  send(frame: string): void | Promise<void> {
    this.#writer.write(messageEvent(frame))
    return this.#writer.pressure()
  }

  /** Sends a request to the client. */
  request(frame: string): void {
    this.respond(frame)
  }

  /** Sends a response, whatever is queued. */
  respond(frame: string): void {
    this.#writer.writeAlways(messageEvent(frame))
  }

  /** No session was initialized in time. */
  due(): void {
    this.close()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#session?.close()
    this.#onClose(this)
    this.#writer.end()
  }

  #ping(frame: string): boolean {
    if (this.#closed) return false
    this.#writer.write(messageEvent(frame))
    return true
  }
}

/** `message` is the default type, but some clients need it. */
const messageEvent = (frame: string): string => formatEvent({ event: 'message', data: frame })
