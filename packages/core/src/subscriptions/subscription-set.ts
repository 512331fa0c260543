import type { RequestId } from '../protocol/jsonrpc.ts'
import { ANONYMOUS } from '../stores/principal.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import { Subscription, type SubscriptionOptions } from './subscription.ts'

export interface SubscriptionLimits {
  /** The maximum for all clients together. */
  readonly max: number
  /** The maximum for one authenticated principal. */
  readonly maxPerPrincipal: number
}

/** The open subscriptions of one mount or connection. */
export class SubscriptionSet {
  readonly #limits: SubscriptionLimits
  /** The subscriptions with their principals. */
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

  /** Returns undefined if there are too many. The subscription starts with `begin`. */
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

  /** Ends the oldest subscription of an anonymous client. Returns false if there is none. */
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
