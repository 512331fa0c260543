import { ANONYMOUS } from '../stores/principal.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import { Subscription, type SubscriptionOptions } from './subscription.ts'

export interface SubscriptionLimits {
  /** Of everybody together. */
  readonly max: number
  /** Of one authenticated principal. */
  readonly maxPerPrincipal: number
}

/** The open subscriptions of one door. */
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

  /** Undefined where there are too many. Begins with `begin`. */
  open(options: SubscriptionOptions, principal: string): Subscription | undefined {
    const { max, maxPerPrincipal } = this.#limits
    const held = this.#perPrincipal.get(principal) ?? 0
    if (this.#open.size >= max || (principal !== ANONYMOUS && held >= maxPerPrincipal)) return undefined
    const listen = new Subscription(options)
    this.#open.add(listen)
    this.#perPrincipal.set(principal, held + 1)
    listen.onClose(() => this.#closed(listen, principal))
    return listen
  }

  onChange(event: ChangeEvent): void {
    for (const listen of this.#open) listen.onChange(event)
  }

  /** Ends all of them with their answers. */
  closeAll(): void {
    for (const listen of this.#open) listen.close()
  }

  #closed(listen: Subscription, principal: string): void {
    this.#open.delete(listen)
    const left = (this.#perPrincipal.get(principal) ?? 1) - 1
    if (left === 0) this.#perPrincipal.delete(principal)
    else this.#perPrincipal.set(principal, left)
  }
}
