import { type JsonObject, notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { Notification, SUBSCRIPTION_ID } from '../protocol/methods.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import { ANONYMOUS } from '../stores/principal.ts'

/** A kind of change to which a client has subscribed, and which the server has agreed to report. */
export interface SubscriptionFilter {
  /** The part of the acknowledgement that refers to this filter. */
  readonly acknowledged: JsonObject
  /** Notifies the client, immediately or later, if the event matches. */
  onChange(event: ChangeEvent, notify: Notify): void
  /** Runs when the subscription starts. The returned function runs when the subscription ends. */
  begin?(notify: Notify): (() => void) | undefined
}

/** Sends a notification to the client. Does nothing after the subscription has ended. */
export type Notify = (notice: Notice) => void

/** A notification to which the subscription's id has not been added yet. */
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
  /**
   * Sends a frame. If an identical frame is already queued, the frame is not sent again. Returns false if the
   * queue is full.
   */
  send(frame: string): boolean
  /** Discards queued notifications, because the client has ended the subscription. */
  drop(): void
  /** Sends the response, which is the last message. */
  finish(answer: string): void
  /** Ends the subscription because the queue is full, so that the client knows that it missed notifications. */
  overflow(answer: string): void
}

interface SubscriptionOptions extends SubscriptionRequest {
  /** The response to the request, which is sent when the subscription ends. */
  readonly answer: string
  readonly channel: SubscriptionChannel
}

/**
 * An open subscription. Each notification contains the id of the request that opened the subscription.
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

  /** Sends the acknowledgement, which must precede every notification. */
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

export interface SubscriptionLimits {
  /** The maximum number of subscriptions for all clients combined. */
  readonly max: number
  /** The maximum number of subscriptions per authenticated principal. */
  readonly maxPerPrincipal: number
}

/** The open subscriptions of one mount or connection. */
export class SubscriptionSet {
  readonly #limits: SubscriptionLimits
  /** The open subscriptions, each with its principal. */
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

  /**
   * Opens a subscription, which must be started with `begin`. Returns undefined if there are too many
   * subscriptions.
   */
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

  /** Ends all subscriptions with their responses. */
  closeAll(): void {
    for (const subscription of this.#open.keys()) subscription.close()
  }

  /** Ends the oldest subscription that belongs to an anonymous client. Returns false if there is none. */
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
