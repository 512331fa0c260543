import { type JsonObject, notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID } from '../protocol/meta.ts'
import { Notification } from '../protocol/methods.ts'
import type { ChangeEvent } from '../stores/bus.ts'

/** One thing that a client wants to hear of, as far as the server has agreed to it. */
export interface SubscriptionFilter {
  /** What the client is told of it: its part of the acknowledged filter. */
  readonly acknowledged: JsonObject
  /** Tells the client of an event, at once or when more is known of it; nothing, if this is not about it. */
  onChange(event: ChangeEvent, notify: Notify): void
  /** Called when the subscription begins; what it returns is called when that ends. */
  begin?(notify: Notify): (() => void) | undefined
}

/** Gives the client a notification; after the end of the subscription, nothing. */
export type Notify = (notice: Notice) => void

/** A notification before it is tied to a subscription. */
export interface Notice {
  readonly method: string
  readonly params?: JsonObject
}

/** What a request that stays open has come to. */
export interface SubscriptionRequest {
  readonly id: RequestId
  readonly filters: readonly SubscriptionFilter[]
}

/** The way of one subscription to its client. */
export interface SubscriptionChannel {
  /** Takes a notification. One that waits there already need not be kept twice. False: there is no room. */
  send(frame: string): boolean
  /** Forgets what still waits: the client wants to hear no more. */
  drop(): void
  /** Takes the answer, after which nothing comes. */
  finish(answer: string): void
  /** Ends what has found no room for a notification, so that the client learns that it has missed some. */
  overflow(answer: string): void
}

export interface SubscriptionOptions extends SubscriptionRequest {
  /** The answer to the request, for when the server ends the subscription. */
  readonly answer: string
  readonly channel: SubscriptionChannel
}

/**
 * One open subscription: tells its client of changes, each message tied to it by the id of the request.
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

  /** Acknowledges, before anything else can be said. */
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

  /** Ends it on the server's initiative, with the answer that the request has waited for. */
  close(): void {
    if (this.#end()) this.#options.channel.finish(this.#options.answer)
  }

  /** Ends it without a word: its client has gone, or does not want to hear more. */
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
