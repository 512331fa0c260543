import type { RequestId } from '../protocol/jsonrpc.ts'
import { ANONYMOUS } from '../stores/principal.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import { Subscription, type SubscriptionOptions } from './subscription.ts'

export interface SubscriptionLimits {
  /** Of all clients together. */
  readonly max: number
  /** Of one authenticated principal. */
  readonly maxPerPrincipal: number
}

/** The open subscriptions of one mount or connection. */
export class SubscriptionSet {
  readonly #limits: SubscriptionLimits
  readonly #open = new Set<Subscription>()
  readonly #perPrincipal = new Map<string, number>()

  constructor(limits: SubscriptionLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#open.size
  }

  find(id: RequestId): Subscription | undefined {
    return [...this.#open].find((subscription) => subscription.id === id)
  }

  /** Undefined if there are too many. The subscription starts with `begin`. */
  open(options: SubscriptionOptions, principal: string): Subscription | undefined {
    const { max, maxPerPrincipal } = this.#limits
    const open = this.#perPrincipal.get(principal) ?? 0
    if (this.#open.size >= max || (principal !== ANONYMOUS && open >= maxPerPrincipal)) return undefined
    const subscription = new Subscription(options)
    this.#open.add(subscription)
    this.#perPrincipal.set(principal, open + 1)
    subscription.onClose(() => this.#closed(subscription, principal))
    return subscription
  }

  onChange(event: ChangeEvent): void {
    for (const subscription of this.#open) subscription.onChange(event)
  }

  /** Ends all of them with their responses. */
  closeAll(): void {
    for (const subscription of this.#open) subscription.close()
  }

  #closed(subscription: Subscription, principal: string): void {
    this.#open.delete(subscription)
    const left = (this.#perPrincipal.get(principal) ?? 1) - 1
    if (left === 0) this.#perPrincipal.delete(principal)
    else this.#perPrincipal.set(principal, left)
  }
}
