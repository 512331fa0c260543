import type { Clock } from '@jetway/core/stores'

interface Entry<T> {
  readonly text: string
  readonly value: T
  readonly until: number
}

/** Enough to differ: the end of a JWT is its signature. */
const TAIL = 24

/**
 * Remembers values by token. Entries are found by the end of the token, because the hash of a whole token costs more
 * than the rest of the lookup, and then compared as a whole: by the signature alone, other claims could be put before
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

  /** @param text - the token, or a text that ends with it */
  get(text: string): T | undefined {
    const tail = text.slice(-TAIL)
    const entry = this.#entries.get(tail)
    if (entry?.text !== text) return undefined
    if (this.#clock.now() < entry.until) return entry.value
    this.#entries.delete(tail)
    return undefined
  }

  /** @param until - ms since 1970 */
  set(text: string, value: T, until: number): void {
    if (until <= this.#clock.now()) return
    const tail = text.slice(-TAIL)
    this.#entries.delete(tail)
    this.#entries.set(tail, { text, value, until })
    if (this.#entries.size <= this.#max) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
