import { type JsonObject, notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID } from '../protocol/meta.ts'
import { Notification } from '../protocol/methods.ts'
import type { ChangeEvent } from '../stores/bus.ts'

/** One kind of change that a client subscribes to, and that the server has agreed to. */
export interface SubscriptionFilter {
  /** The filter's part of the acknowledgement. */
  readonly acknowledged: JsonObject
  /** Notifies the client, at once or later, if the event matches. */
  onChange(event: ChangeEvent, notify: Notify): void
  /** Runs when the subscription starts. The function that it returns runs when the subscription ends. */
  begin?(notify: Notify): (() => void) | undefined
}

/** Sends a notification to the client. Does nothing after the end of the subscription. */
export type Notify = (notice: Notice) => void

/** A notification without the id of a subscription. */
export interface Notice {
  readonly method: string
  readonly params?: JsonObject
}

/** A `subscriptions/listen` request that the server accepts. */
export interface SubscriptionRequest {
  readonly id: RequestId
  readonly filters: readonly SubscriptionFilter[]
}

/** Carries the notifications of one subscription to its client. */
export interface SubscriptionChannel {
  /** Sends a frame. A frame equal to a queued one is not sent again. Returns false if the queue is full. */
  send(frame: string): boolean
  /** Discards queued notifications, because the client has ended the subscription. */
  drop(): void
  /** Sends the response, and nothing after it. */
  finish(answer: string): void
  /** Ends the subscription because the queue is full, so that the client knows that it missed notifications. */
  overflow(answer: string): void
}

export interface SubscriptionOptions extends SubscriptionRequest {
  /** The response to the request, which is sent when the subscription ends. */
  readonly answer: string
  readonly channel: SubscriptionChannel
}

/**
 * One open subscription. Each notification contains the id of its request.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class Subscription {
  readonly #options: SubscriptionOptions
  readonly #onClose: (() => void)[] = []
  readonly #notify: Notify = (notice) => this.#send(notice)
  #closed = false

  constructor(options: SubscriptionOptions) {
    this.#options = options
  }

  get id(): RequestId {
    return this.#options.id
  }

  /** Sends the acknowledgement, which precedes every notification. */
  begin(): void {
    const notifications: JsonObject = Object.assign({}, ...this.#options.filters.map((it) => it.acknowledged))
    this.#send({ method: Notification.Acknowledged, params: { notifications } })
    for (const filter of this.#options.filters) {
      const end = filter.begin?.(this.#notify)
      if (end !== undefined) this.onClose(end)
    }
  }

  onChange(event: ChangeEvent): void {
    for (const filter of this.#options.filters) filter.onChange(event, this.#notify)
  }

  /** Ends the subscription with the response to its request. */
  close(): void {
    if (this.#end()) this.#options.channel.finish(this.#options.answer)
  }

  /** Ends the subscription without a response, because the client has disconnected or cancelled it. */
  drop(): void {
    if (this.#end()) this.#options.channel.drop()
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener()
    else this.#onClose.push(listener)
  }

  #send({ method, params }: Notice): void {
    if (this.#closed) return
    const { id, channel, answer } = this.#options
    const frame = notificationFrame(method, { _meta: { [SUBSCRIPTION_ID]: id }, ...params })
    if (!channel.send(frame) && this.#end()) channel.overflow(answer)
  }

  #end(): boolean {
    if (this.#closed) return false
    this.#closed = true
    for (const listener of this.#onClose.splice(0)) listener()
    return true
  }
}
