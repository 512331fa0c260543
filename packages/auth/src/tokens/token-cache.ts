import type { Clock } from '@jetway/core/stores'

interface Entry<T> {
  readonly value: T
  readonly until: number
}

/**
 * Remembers values by token. The key is the whole token: by its signature alone, other claims could be put before
 * the signature of a token that is remembered.
 */
export class TokenCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #max: number
  readonly #clock: Clock

  constructor(max: number, clock: Clock) {
    this.#max = max
    this.#clock = clock
  }

  get(token: string): T | undefined {
    const entry = this.#entries.get(token)
    if (entry === undefined) return undefined
    if (this.#clock.now() < entry.until) return entry.value
    this.#entries.delete(token)
    return undefined
  }

  /** @param until - ms since 1970 */
  set(token: string, value: T, until: number): void {
    if (until <= this.#clock.now()) return
    this.#entries.delete(token)
    this.#entries.set(token, { value, until })
    if (this.#entries.size <= this.#max) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
