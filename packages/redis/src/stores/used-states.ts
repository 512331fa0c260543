import type { UsedStates } from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import type { Keys } from '../keys.ts'

/** How much longer a used state is remembered, in ms: the clocks of two nodes may each be 5 minutes off. */
const SKEW_MS = 10 * 60_000

/** Remembers used states in keys that expire after the states do. */
export class RedisUsedStates implements UsedStates {
  readonly #commands: Commands
  readonly #keys: Keys

  constructor(commands: Commands, keys: Keys) {
    this.#commands = commands
    this.#keys = keys
  }

  async take(nonce: string, expiresAt: number): Promise<boolean> {
    const key = this.#keys.usedState(nonce)
    // A duration, not a time: the clock of Redis may differ from that of this node.
    const ms = Math.max(0, Math.ceil(expiresAt - Date.now())) + SKEW_MS
    return (await this.#commands.run(key, ['SET', key, '1', 'NX', 'PX', String(ms)])) === 'OK'
  }
}
