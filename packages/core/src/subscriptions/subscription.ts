import { type JsonObject, notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { Notification, SUBSCRIPTION_ID } from '../protocol/methods.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import { ANONYMOUS } from '../stores/principal.ts'

/** One kind of change that a client subscribes to, and that the server has agreed to. */
export interface SubscriptionFilter {
  /** Its part of the acknowledged filter. */
  readonly acknowledged: JsonObject
  /** Notifies the client, at once or later, if the event matches. */
  onChange(event: ChangeEvent, notify: Notify): void
  /** Runs when the subscription begins; the function that it returns runs when it ends. */
  begin?(notify: Notify): (() => void) | undefined
}

/** Sends a notification to the client. Does nothing after the end of the subscription. */
export type Notify = (notice: Notice) => void

/** A notification without the id of a subscription. */
interface Notice {
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
  /** An equal notification that still waits is sent once. False if the queue is full. */
  send(frame: string): boolean
  /** Discards waiting notifications: the client has ended the subscription. */
  drop(): void
  /** Sends the response, and nothing after it. */
  finish(answer: string): void
  /**
   * Ends the subscription because the queue is full, so that the client knows that it missed notifications.
   */
  overflow(answer: string): void
}

interface SubscriptionOptions extends SubscriptionRequest {
  /** The response to the request, for the end of the subscription. */
  readonly answer: string
  readonly channel: SubscriptionChannel
}

/**
 * One open subscription. Each notification carries the id of its request.
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

  /** Sends the acknowledgement, which comes before every notification. */
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

  /** Ends it with the response to its request. */
  close(): void {
    if (this.#end()) this.#options.channel.finish(this.#options.answer)
  }

  /** Ends it without a response: the client has disconnected or cancelled. */
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

export interface SubscriptionLimits {
  /** Of all clients together. */
  readonly max: number
  /** Of one authenticated principal. */
  readonly maxPerPrincipal: number
}

/** The open subscriptions of one mount or connection. */
export class SubscriptionSet {
  readonly #limits: SubscriptionLimits
  /** With their principals. */
  readonly #open = new Map<Subscription, string>()

  constructor(limits: SubscriptionLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#open.size
  }

  find(id: RequestId): Subscription | undefined {
    return [...this.#open.keys()].find((subscription) => subscription.id === id)
  }

  /** Undefined if there are too many. The subscription starts with `begin`. */
  open(options: SubscriptionOptions, principal: string): Subscription | undefined {
    const { max, maxPerPrincipal } = this.#limits
    if (principal !== ANONYMOUS && this.#count(principal) >= maxPerPrincipal) return undefined
    if (this.#open.size >= max && (principal === ANONYMOUS || !this.#closeAnonymous())) return undefined
    const subscription = new Subscription(options)
    this.#open.set(subscription, principal)
    subscription.onClose(() => this.#open.delete(subscription))
    return subscription
  }

  onChange(event: ChangeEvent): void {
    for (const subscription of this.#open.keys()) subscription.onChange(event)
  }

  /** Ends all of them with their responses. */
  closeAll(): void {
    for (const subscription of this.#open.keys()) subscription.close()
  }

  /** Ends the oldest subscription of an anonymous client; false if there is none. */
  #closeAnonymous(): boolean {
    for (const [subscription, principal] of this.#open) {
      if (principal !== ANONYMOUS) continue
      subscription.close()
      return true
    }
    return false
  }

  #count(principal: string): number {
    return [...this.#open.values()].filter((other) => other === principal).length
  }
}
