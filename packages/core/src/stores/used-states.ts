import type { Awaitable } from '../util/promises.ts'

/** Remembers what was used and must be used once: the states of calls, and the ids of DPoP proofs. */
export interface UsedStates {
  /**
   * Marks a state as used. Resolves to false if it was used before.
   *
   * @param nonce - unique to the state or proof: letters, digits, `-` and `_`, at most 64
   * @param expiresAt - when the state expires, in ms since 1970
   * @param principal - the only one that can use the state; empty for anonymous callers. A store that is full
   *   forgets states of the principal that has most, so that none can use up the states of others
   */
  take(nonce: string, expiresAt: number, principal: string): Awaitable<boolean>
}
