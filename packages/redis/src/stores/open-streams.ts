import type { Commands } from '../commands/commands.ts'
import type { StreamKeys } from '../keys.ts'

/** Extends the lifetime of this process's streams, because a stream may be idle for longer than its keys live. */
export class OpenStreams {
  readonly #commands: Commands
  readonly #ttlMs: number
  /** The streams, keyed by session and then by state key. */
  readonly #sessions = new Map<string, Map<string, StreamKeys>>()
  #timer: NodeJS.Timeout | undefined

  constructor(commands: Commands, ttlMs: number) {
    this.#commands = commands
    this.#ttlMs = ttlMs
  }

  add(keys: StreamKeys): void {
    const streams = this.#sessions.get(keys.session) ?? new Map<string, StreamKeys>()
    this.#sessions.set(keys.session, streams.set(keys.state, keys))
    this.#timer ??= setInterval(() => void this.#prolong(), this.#ttlMs / 3).unref()
  }

  remove({ session, state }: StreamKeys): void {
    const streams = this.#sessions.get(session)
    if (streams?.delete(state) && streams.size === 0) this.removeSession({ session })
  }

  removeSession({ session }: Pick<StreamKeys, 'session'>): void {
    this.#sessions.delete(session)
    if (this.#sessions.size === 0) this.close()
  }

  close(): void {
    this.#sessions.clear()
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Extends the streams one after another, because there may be many, and this is not urgent. */
  async #prolong(): Promise<void> {
    const ms = String(this.#ttlMs)
    for (const streams of this.#sessions.values())
      for (const { state, streams: index } of streams.values()) {
        // If an attempt fails, two more follow before the keys expire.
        await this.#commands.run(state, ['PEXPIRE', state, ms]).catch(() => {})
        await this.#commands.run(index, ['PEXPIRE', index, ms]).catch(() => {})
      }
  }
}
