import type { SubscriptionChannel } from '../../subscriptions/subscription.ts'
import { onDisconnect } from '../on-disconnect.ts'
import type { EndpointContext } from '../mount.ts'
import { createSseWriter } from '../streams/create-writer.ts'
import type { SseWriter, StreamReader } from '../streams/sse-writer.ts'
import { formatEvent } from '../streams/sse-format.ts'
import type { ServedServer } from '../served-server.ts'
import type { HttpReply } from '../types.ts'

export interface SubscriptionStreamOptions {
  readonly context: EndpointContext
  readonly reader: StreamReader
  readonly server: ServedServer
  /** Called when the credentials of the client expire. */
  readonly onExpired: () => void
  /** Called once, when the stream has ended. */
  readonly onGone: () => void
}

/**
 * The stream of one `subscriptions/listen`. If the client reads too slowly, equal notices are kept once. Beyond the mount's
 * `limits.outboundBytes` the stream is cut: nothing is stored for a client that comes back, so it must learn that it missed some.
 */
export class SubscriptionStream implements SubscriptionChannel {
  readonly reply: HttpReply
  readonly #reader: StreamReader
  readonly #writer: SseWriter

  constructor({ context, reader, server, onExpired, onGone }: SubscriptionStreamOptions) {
    this.#reader = reader
    this.#writer = createSseWriter(context, { overflow: 'cut', server, onExpired, onGone })
    this.reply = this.#writer.reply(reader)
  }

  /** Call it when the stream is set up: an adapter may never open the reply if the client has disconnected. */
  watch(): void {
    onDisconnect(this.#reader, () => this.#writer.cut())
  }

  send(frame: string): boolean {
    return this.#writer.notify(formatEvent({ data: frame }))
  }

  finish(answer: string): void {
    this.#writer.finish(formatEvent({ data: answer }))
  }

  overflow(): void {
    this.#writer.cut()
  }

  drop(): void {
    this.#writer.cut()
  }
}
