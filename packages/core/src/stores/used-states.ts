import type { Awaitable } from '../util/promises.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { type Sized, SizeRanks } from './size-ranks.ts'

/** Remembers values that can be used only once: the states of calls, and the ids of DPoP proofs. */
export interface UsedStates {
  /**
   * Marks a state as used. Resolves to false if the state has already been used.
   *
   * @param nonce - unique to the state or proof: at most 64 letters, digits, `-` and `_`
   * @param expiresAt - when the state expires, in ms since 1970
   * @param principal - the only caller that can use the state; empty for anonymous callers. A full store
   * drops states of the principal with the most states, so that no principal can displace the states of
   * others
   */
  take(nonce: string, expiresAt: number, principal: string): Awaitable<boolean>
}

/** Options for {@link MemoryUsedStates}. */
export interface MemoryUsedStatesOptions {
  /**
   * The maximum number of states. When it is exceeded, one of the principals with the most states loses its
   * oldest state. From then on, every state of that principal with the same or an earlier expiry counts as
   * used. @default 10_000
   */
  readonly max?: number
  readonly clock?: Clock
}

/** The used states of one principal. */
class Owner implements Sized {
  rank = 0
  readonly principal: string
  /** The expiry time of each used state, keyed by nonce, in the order of use. */
  readonly used = new Map<string, number>()
  /** All states that expire by this time count as used, because some used states were dropped. */
  droppedUntil = 0

  constructor(principal: string) {
    this.principal = principal
  }

  get bytes(): number {
    return this.used.size
  }
}

/** Remembers used states in this process. */
export class MemoryUsedStates implements UsedStates {
  readonly #max: number
  readonly #clock: Clock
  readonly #owners = new Map<string, Owner>()
  readonly #ranks = new SizeRanks<Owner>()
  /** The owner of each used state, keyed by nonce, in the order of use. */
  readonly #used = new Map<string, Owner>()
  /**
   * All principals' states that expire by this time count as used, because a principal whose states were
   * dropped has been forgotten.
   */
  #droppedUntil = 0

  constructor({ max = 10_000, clock = systemClock }: MemoryUsedStatesOptions = {}) {
    this.#max = max
    this.#clock = clock
  }

  take(nonce: string, expiresAt: number, principal: string): boolean {
    const droppedUntil = this.#owners.get(principal)?.droppedUntil ?? 0
    if (expiresAt <= Math.max(droppedUntil, this.#droppedUntil) || this.#used.has(nonce)) return false
    this.#expire()
    while (this.#used.size >= this.#max) this.#dropOne()
    const owner = this.#ownerOf(principal)
    owner.used.set(nonce, expiresAt)
    this.#used.set(nonce, owner)
    this.#ranks.update(owner)
    return true
  }

  #ownerOf(principal: string): Owner {
    const known = this.#owners.get(principal)
    if (known !== undefined) return known
    const owner = new Owner(principal)
    this.#owners.set(principal, owner)
    return owner
  }

  #expire(): void {
    const now = this.#clock.now()
    for (const [nonce, owner] of this.#used) {
      if ((owner.used.get(nonce) ?? 0) > now) return
      this.#forget(owner, nonce)
    }
  }

  #dropOne(): void {
    const owner = this.#ranks.largest()
    const [nonce] = owner?.used.keys() ?? []
    if (owner === undefined || nonce === undefined) return
    owner.droppedUntil = Math.max(owner.droppedUntil, owner.used.get(nonce) ?? 0)
    this.#forget(owner, nonce)
  }

  #forget(owner: Owner, nonce: string): void {
    owner.used.delete(nonce)
    this.#used.delete(nonce)
    this.#ranks.update(owner)
    if (owner.used.size > 0) return
    this.#owners.delete(owner.principal)
    this.#droppedUntil = Math.max(this.#droppedUntil, owner.droppedUntil)
  }
}
