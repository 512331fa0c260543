import type { Clock } from '@jetway/core/stores'

interface Entry<T> {
  readonly text: string
  readonly value: T
  readonly until: number
}

/** The length of a key. A JWT ends with its signature, so these characters are unique. */
const TAIL = 24

/**
 * Caches values by token. The key is the end of the token, because hashing a whole token costs more than the
 * rest of the lookup. The whole token is then compared, because otherwise a caller could put other claims before the
 * signature of a cached token.
 */
export class TokenCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #max: number
  readonly #clock: Clock

  constructor(max: number, clock: Clock) {
    this.#max = max
    this.#clock = clock
  }

  /** @param text - the token, or a header that ends with it */
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
