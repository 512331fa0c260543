import type { Awaitable } from '../util/promises.ts'

/** Remembers the states of calls that were used, so that each opens once. */
export interface UsedStates {
  /**
   * Marks a state as used. Resolves to false if it was used before.
   *
   * @param nonce - unique to the state: letters, digits, `-` and `_`, at most 64
   * @param expiresAt - when the state expires, in ms since 1970
   * @param principal - the only one that can use the state; empty for anonymous callers. A store that is full
   *   forgets states of the principal that has most, so that none can use up the states of others
   */
  take(nonce: string, expiresAt: number, principal: string): Awaitable<boolean>
}
