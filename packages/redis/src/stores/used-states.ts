import type { UsedStates } from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import { hashOf, type Keys } from '../keys.ts'
import { TAKE_STATE } from '../scripts/used-states.ts'

/** Limits of the used states of calls, with `requestState.singleUse`. */
export interface RedisUsedStateLimits {
  /**
   * States of one principal, or of all anonymous callers. One more drops the one that expires first; from then on every
   * state of the principal that expires no later counts as used, and its client must start again. @default 100_000
   */
  readonly maxPerPrincipal?: number
}

/** How much longer a used state is remembered, in ms: the clocks of two nodes may each be 5 minutes off. */
const SKEW_MS = 10 * 60_000

/** Remembers used states of each principal in a key that expires after the states do. */
export class RedisUsedStates implements UsedStates {
  readonly #commands: Commands
  readonly #keys: Keys
  readonly #max: number

  constructor(commands: Commands, keys: Keys, { maxPerPrincipal = 100_000 }: RedisUsedStateLimits = {}) {
    this.#commands = commands
    this.#keys = keys
    this.#max = maxPerPrincipal
  }

  async take(nonce: string, expiresAt: number, principal: string): Promise<boolean> {
    // A duration, not a time: the clock of Redis may differ from that of this node.
    const ms = Math.max(0, Math.ceil(expiresAt - Date.now())) + SKEW_MS
    const args = [hashOf(nonce), expiresAt, ms, SKEW_MS, this.#max]
    return (await this.#commands.script(TAKE_STATE, this.#keys.usedStates(principal), args)) === 1
  }
}
