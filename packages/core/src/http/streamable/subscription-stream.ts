import type { SubscriptionChannel } from '../../subscriptions/subscription.ts'
import { utf8Length } from '../../util/bytes.ts'
import { onDisconnect } from '../on-disconnect.ts'
import type { EndpointContext } from '../mount.ts'
import { SseWriter, type StreamReader } from '../streams/sse-writer.ts'
import { formatEvent, SSE_HEADERS } from '../streams/sse-format.ts'
import type { HttpReply } from '../types.ts'

export interface SubscriptionStreamOptions {
  readonly mount: EndpointContext
  readonly request: StreamReader
  /** Whose stream it is; see `OpenStreams.held`. */
  readonly owner: object
  /** Hears of a notification that found no room. */
  onOverflow(bytes: number): void
  /** Hears that the credentials of the client have run out. */
  onExpired(): void
  /** Called once, however the stream ends. */
  onGone(): void
}

/**
 * The reply that a client listens on. While it reads too slowly, what it is to hear waits, each message once however often
 * it was said: a list that changed twice is read once. Beyond the mount's `limits.outboundBytes` the stream is cut, since nothing
 * is kept for a client that comes back: it has to learn that it missed something.
 */
export class SubscriptionStream implements SubscriptionChannel {
  readonly reply: HttpReply
  readonly #options: SubscriptionStreamOptions
  readonly #outbound: SseWriter
  readonly #late = new Set<string>()
  #lateBytes = 0

  constructor(options: SubscriptionStreamOptions) {
    this.#options = options
    const { mount, request, owner } = options
    const { openStreams } = mount
    const outbound = new SseWriter({
      limit: mount.options.outboundLimit,
      overflow: 'cut',
      owner,
      onOpen: (opened) => openStreams.add(opened),
      onExpired: () => options.onExpired(),
      onDrained: () => this.#catchUp(),
      onGone: (gone) => {
        openStreams.remove(gone)
        options.onGone()
      },
    })
    this.#outbound = outbound
    this.reply = { status: 200, headers: SSE_HEADERS, open: (sink) => outbound.open(sink, request) }
  }

  /** From now on the client may be gone: some adapters never open the reply to one that has left. */
  watch(): void {
    onDisconnect(this.#options.request, () => this.#outbound.cut())
  }

  send(frame: string): boolean {
    if (this.#outbound.ready) {
      this.#outbound.write(formatEvent({ data: frame }))
      return true
    }
    if (this.#late.has(frame)) return true
    const bytes = utf8Length(frame)
    if (this.#late.size > 0 && this.#lateBytes + bytes > this.#options.mount.options.outboundLimit) {
      this.#options.onOverflow(bytes)
      return false
    }
    this.#lateBytes += bytes
    this.#late.add(frame)
    return true
  }

  finish(answer: string): void {
    this.#late.add(answer)
    const last = this.#takeLate()
    this.#outbound.writeAlways(last)
    this.#outbound.end()
  }

  overflow(): void {
    this.#outbound.cut()
  }

  drop(): void {
    this.#outbound.cut()
  }

  #catchUp(): void {
    if (this.#late.size > 0) this.#outbound.write(this.#takeLate())
  }

  #takeLate(): string {
    const events = [...this.#late].map((data) => formatEvent({ data })).join('')
    this.#late.clear()
    this.#lateBytes = 0
    return events
  }
}
