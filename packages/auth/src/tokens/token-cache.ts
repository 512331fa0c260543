import type { Clock } from '@jetway/core/stores'

interface Entry<T> {
  readonly text: string
  readonly value: T
  readonly until: number
  readonly holder: string
}

/** The share of a full cache that one owner's tokens may occupy. */
const HOLDER_SHARE = 0.1
/** The length of a key. A JWT ends with its signature, so its last characters are unique. */
const TAIL = 24

/**
 * Caches values by token. The key is the end of the token, because hashing a whole token would cost more than
 * the rest of the lookup. The whole token is then compared. Otherwise, a caller could combine other claims with
 * the signature of a cached token.
 */
export class TokenCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  /** The number of entries for each owner. */
  readonly #counts = new Map<string, number>()
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
    this.#delete(tail)
    return undefined
  }

  /**
   * @param until - when the entry expires, in ms since 1970
   * @param holder - the owner of the token. If the cache is full, a new token of an owner with many tokens
   * replaces that owner's oldest one
   */
  set(text: string, value: T, until: number, holder = ''): void {
    if (until <= this.#clock.now()) return
    const tail = text.slice(-TAIL)
    this.#delete(tail)
    this.#entries.set(tail, { text, value, until, holder })
    const count = (this.#counts.get(holder) ?? 0) + 1
    this.#counts.set(holder, count)
    if (this.#entries.size <= this.#max) return
    const replacesOwn = count > Math.max(this.#max * HOLDER_SHARE, 1)
    for (const [oldest, entry] of this.#entries) {
      if (replacesOwn && entry.holder !== holder) continue
      this.#delete(oldest)
      return
    }
  }

  delete(text: string): void {
    const tail = text.slice(-TAIL)
    if (this.#entries.get(tail)?.text === text) this.#delete(tail)
  }

  #delete(tail: string): void {
    const holder = this.#entries.get(tail)?.holder
    if (holder === undefined) return
    this.#entries.delete(tail)
    const left = (this.#counts.get(holder) ?? 1) - 1
    if (left === 0) this.#counts.delete(holder)
    else this.#counts.set(holder, left)
  }
}
