import { ANONYMOUS } from '../stores/principal.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import { Listen, type ListenOptions } from './subscription.ts'

export interface ListensLimits {
  /** Of everybody together. */
  readonly max: number
  /** Of one authenticated principal. */
  readonly maxPerPrincipal: number
}

/** The open subscriptions of one door. */
export class Listens {
  readonly #limits: ListensLimits
  readonly #open = new Set<Listen>()
  readonly #perPrincipal = new Map<string, number>()

  constructor(limits: ListensLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#open.size
  }

  /** Undefined where there are too many. Begins with `begin`. */
  open(options: ListenOptions, principal: string): Listen | undefined {
    const { max, maxPerPrincipal } = this.#limits
    const held = this.#perPrincipal.get(principal) ?? 0
    if (this.#open.size >= max || (principal !== ANONYMOUS && held >= maxPerPrincipal)) return undefined
    const listen = new Listen(options)
    this.#open.add(listen)
    this.#perPrincipal.set(principal, held + 1)
    listen.onClose(() => this.#closed(listen, principal))
    return listen
  }

  changed(event: ChangeEvent): void {
    for (const listen of this.#open) listen.changed(event)
  }

  /** Ends all of them with their answers. */
  closeAll(): void {
    for (const listen of this.#open) listen.close()
  }

  #closed(listen: Listen, principal: string): void {
    this.#open.delete(listen)
    const left = (this.#perPrincipal.get(principal) ?? 1) - 1
    if (left === 0) this.#perPrincipal.delete(principal)
    else this.#perPrincipal.set(principal, left)
  }
}
