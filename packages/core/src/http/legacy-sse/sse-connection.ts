import type { Exchange } from '../../call/exchange.ts'
import type { SessionChannel, Session } from '../../session/session.ts'
import type { Due } from '../../util/timers.ts'
import type { EndpointContext } from '../mount.ts'
import { SseWriter, type StreamReader } from '../streams/sse-writer.ts'
import { formatEvent, SSE_HEADERS } from '../streams/sse-format.ts'
import type { ServedServer } from '../served-servers.ts'
import type { HttpReply } from '../types.ts'

export interface SseConnectionOptions {
  readonly mount: EndpointContext
  readonly id: string
  readonly principal: string
  readonly tenant: ServedServer
  /** Called once, however the connection ends. */
  readonly onClose: (connection: SseConnection) => void
}

/**
 * One client of the HTTP+SSE transport: an event stream that all the server says goes out on, and the session that
 * `initialize` opens on it. The stream and the session end together.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class SseConnection implements Exchange, Due {
  readonly duplex = true
  readonly id: string
  readonly principal: string
  readonly tenant: ServedServer
  /** While `initialize` is being answered. */
  opening = false
  readonly #onClose: (connection: SseConnection) => void
  readonly #outbound: SseWriter
  readonly #late = new Set<string>()
  readonly #outlet: SessionChannel = {
    send: (frame) => this.#announce(frame),
    ping: (frame) => this.#ping(frame),
  }
  #session: Session | undefined
  #closed = false

  constructor({ mount, id, principal, tenant, onClose }: SseConnectionOptions) {
    this.id = id
    this.principal = principal
    this.tenant = tenant
    this.#onClose = onClose
    const { openStreams, options } = mount
    this.#outbound = new SseWriter({
      limit: options.outboundLimit,
      overflow: 'drop',
      owner: tenant,
      onOverflow: (bytes) =>
        tenant.runtime.events.emit('overflow', () => ({
          queue: 'stream',
          action: 'drop',
          bytes,
          sessionId: id,
        })),
      onOpen: (opened) => openStreams.add(opened),
      onExpired: () => this.close(),
      onGone: (gone) => {
        openStreams.remove(gone)
        this.close()
      },
    })
  }

  get session(): Session | undefined {
    return this.#session
  }
  get closed(): boolean {
    return this.#closed
  }
  /** The client asks for more than it reads. Answers are never dropped, so that what it asks has to wait. */
  get behind(): boolean {
    return this.#outbound.full
  }

  /** The reply that carries the stream. Its first event says where to post. */
  connect(address: string, request: StreamReader): HttpReply {
    this.#outbound.writeAlways(formatEvent({ event: 'endpoint', data: address }))
    return {
      status: 200,
      headers: SSE_HEADERS,
      open: (sink) => this.#outbound.open(sink, request),
    }
  }

  /** A message has come with credentials of its own: a client that renews them need not begin anew. */
  renew(expiresAt: number | undefined): void {
    this.#outbound.renew(expiresAt)
  }

  begin(session: Session): void {
    this.#session = session
    session.attach(this.#outlet)
    session.onClose(() => this.close())
  }

  /** Sends a notice, which is dropped where the client is too far behind. */
  send(frame: string): void | Promise<void> {
    this.#outbound.write(messageEvent(frame))
    return this.#outbound.pressure()
  }

  /** Asks the client something. */
  request(frame: string): void {
    this.respond(frame)
  }

  /** Sends what must arrive whatever waits. */
  respond(frame: string): void {
    this.#outbound.writeAlways(messageEvent(frame))
  }

  /** No session has begun in time. */
  due(): void {
    this.close()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#late.clear()
    this.#session?.close()
    this.#onClose(this)
    this.#outbound.end()
  }

  #ping(frame: string): boolean {
    if (this.#closed) return false
    this.#outbound.write(messageEvent(frame))
    return true
  }

  /** A change is told late rather than not at all, and once however often it happened. */
  #announce(frame: string): void {
    const behind = this.#outbound.pressure()
    if (behind === undefined) {
      this.respond(frame)
      return
    }
    this.#late.add(frame)
    if (this.#late.size > 1) return
    void behind.then(() => {
      const late = [...this.#late]
      this.#late.clear()
      for (const each of late) this.#announce(each)
    })
  }
}

/** The type is the default one, but some clients know only events that name theirs. */
const messageEvent = (frame: string): string => formatEvent({ event: 'message', data: frame })
