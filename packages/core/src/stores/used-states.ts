import type { Awaitable } from '../util/promises.ts'

/** Remembers what may be used only once: the states of calls, and the ids of DPoP proofs. */
export interface UsedStates {
  /**
   * Marks a state as used. Resolves to false if it was used before.
   *
   * @param nonce - unique to the state or proof: at most 64 letters, digits, `-` and `_`
   * @param expiresAt - when the state expires, in ms since 1970
   * @param principal - the only caller that can use the state; empty for anonymous callers. A full store drops
   *   states of the principal with the most, so that nobody can use up the states of others
   */
  take(nonce: string, expiresAt: number, principal: string): Awaitable<boolean>
}
