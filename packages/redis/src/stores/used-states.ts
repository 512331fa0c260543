import type { UsedStates } from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import { hashOf, type Keys } from '../keys.ts'
import { TAKE_STATE } from '../scripts/used-states.ts'

/** The limits on used states for `requestState.singleUse`. */
export interface RedisUsedStateLimits {
  /**
   * The maximum number of states per principal, or for all anonymous callers. When it is exceeded, the state
   * that expires first is dropped. From then on, all states of the principal that expire no later than the
   * dropped one count as used, and their clients must start the call again. @default 100_000
   */
  readonly maxPerPrincipal?: number
}

/** How long a used state is kept after its expiry, in ms. The clocks of two nodes may each be off by 5 minutes. */
const SKEW_MS = 10 * 60_000

/** Stores the used states of each principal in a key that outlives them. */
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
    // Pass a duration to Redis, because its clock may differ from this node's.
    const ms = Math.max(0, Math.ceil(expiresAt - Date.now())) + SKEW_MS
    const args = [hashOf(nonce), expiresAt, ms, SKEW_MS, this.#max]
    return (await this.#commands.script(TAKE_STATE, this.#keys.usedStates(principal), args)) === 1
  }
}
