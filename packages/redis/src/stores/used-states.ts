import type { UsedStates } from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import { hashOf, type Keys } from '../keys.ts'
import { TAKE_STATE } from '../scripts/used-states.ts'

/** Limits of the used states that are stored for `requestState.singleUse`. */
export interface RedisUsedStateLimits {
  /**
   * The maximum number of states per principal, or of all anonymous callers. Beyond it, the state that
   * expires first is dropped. After that, every state of the principal that expires no later than the dropped
   * one counts as used, and its client must start again. @default 100_000
   */
  readonly maxPerPrincipal?: number
}

/**
 * The time in ms for which a used state is kept after its expiry, because two nodes' clocks may each be 5
 * minutes off.
 */
const SKEW_MS = 10 * 60_000

/** Stores the used states of each principal in a key that expires after the states. */
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
    // Redis gets a duration, because its clock may differ from this node's clock.
    const ms = Math.max(0, Math.ceil(expiresAt - Date.now())) + SKEW_MS
    const args = [hashOf(nonce), expiresAt, ms, SKEW_MS, this.#max]
    return (await this.#commands.script(TAKE_STATE, this.#keys.usedStates(principal), args)) === 1
  }
}
