import { type Clock, systemClock } from '../util/clock.ts'
import type { UsedStates } from './used-states.ts'

/** Options of {@link MemoryUsedStates}. */
export interface MemoryUsedStatesOptions {
  /**
   * States that are remembered. One more drops the oldest; from then on every state that expires no later
   * than that one counts as used. @default 10_000
   */
  readonly max?: number
  readonly clock?: Clock
}

/** Remembers used states in this process. */
export class MemoryUsedStates implements UsedStates {
  readonly #max: number
  readonly #clock: Clock
  /** When each used state expires, by its nonce, in the order of use. */
  readonly #used = new Map<string, number>()
  /** States that expire by then count as used, because some used ones were dropped. */
  #droppedUntil = 0

  constructor({ max = 10_000, clock = systemClock }: MemoryUsedStatesOptions = {}) {
    this.#max = max
    this.#clock = clock
  }

  take(nonce: string, expiresAt: number): boolean {
    if (expiresAt <= this.#droppedUntil || this.#used.has(nonce)) return false
    const now = this.#clock.now()
    for (const [other, until] of this.#used) {
      if (until > now && this.#used.size < this.#max) break
      this.#used.delete(other)
      this.#droppedUntil = Math.max(this.#droppedUntil, until)
    }
    this.#used.set(nonce, expiresAt)
    return true
  }
}
