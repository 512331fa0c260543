import { type Clock, systemClock } from '../util/clock.ts'
import { ANONYMOUS } from './principal.ts'
import type { SessionKey, SessionRecord, SessionStore } from './session-store.ts'

export interface MemorySessionStoreOptions {
  /** Records in total; the least recently used one is dropped. @default 10_000 */
  readonly max?: number
  /** Records of one authenticated principal; anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
  readonly clock?: Clock
}

interface Entry {
  record: SessionRecord
  expiresAt: number
}

/** How many of the oldest records each write checks for expiry: more than it adds. */
const SWEEP_STEPS = 2

/** Stores session records in this process. Expiry needs no timer: it happens on access. */
export class MemorySessionStore implements SessionStore {
  readonly #max: number
  readonly #maxPerPrincipal: number
  readonly #clock: Clock
  /** In the order of their last use, oldest first. */
  readonly #entries = new Map<string, Entry>()
  readonly #perPrincipal = new Map<string, Set<string>>()

  constructor({ max = 10_000, maxPerPrincipal = 100, clock = systemClock }: MemorySessionStoreOptions = {}) {
    this.#max = max
    this.#maxPerPrincipal = maxPerPrincipal
    this.#clock = clock
  }

  /** Includes expired records that are not removed yet. */
  get size(): number {
    return this.#entries.size
  }

  get(key: SessionKey): SessionRecord | undefined {
    return this.#live(keyOf(key))?.record
  }

  put(record: SessionRecord, ttlMs: number): void {
    const key = keyOf(record)
    this.#remove(key)
    this.#sweep()
    this.#makeRoom(record.principal)
    this.#entries.set(key, { record, expiresAt: this.#clock.now() + ttlMs })
    const owned = this.#perPrincipal.get(record.principal) ?? new Set()
    this.#perPrincipal.set(record.principal, owned.add(key))
  }

  touch(key: SessionKey, ttlMs: number): void {
    const text = keyOf(key)
    const entry = this.#live(text)
    if (entry === undefined) return
    entry.expiresAt = this.#clock.now() + ttlMs
    this.#entries.delete(text)
    this.#entries.set(text, entry)
    const owned = this.#perPrincipal.get(key.principal)
    owned?.delete(text)
    owned?.add(text)
  }

  delete(key: SessionKey): boolean {
    const text = keyOf(key)
    const known = this.#live(text) !== undefined
    this.#remove(text)
    return known
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.expiresAt > this.#clock.now()) return entry
    this.#remove(key)
    return undefined
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    const { principal } = entry.record
    const owned = this.#perPrincipal.get(principal)
    owned?.delete(key)
    if (owned?.size === 0) this.#perPrincipal.delete(principal)
  }

  #sweep(): void {
    const now = this.#clock.now()
    let steps = 0
    for (const [key, { expiresAt }] of this.#entries) {
      if (steps++ === SWEEP_STEPS) return
      if (expiresAt <= now) this.#remove(key)
    }
  }

  #makeRoom(principal: string): void {
    const owned = this.#perPrincipal.get(principal)
    if (principal !== ANONYMOUS && owned !== undefined && owned.size >= this.#maxPerPrincipal)
      this.#removeFirst(owned)
    if (this.#entries.size >= this.#max) this.#removeFirst(this.#entries.keys())
  }

  #removeFirst(keys: Iterable<string>): void {
    for (const key of keys) {
      this.#remove(key)
      return
    }
  }
}

/** Starts with the length of the principal, which may contain any character. */
const keyOf = ({ principal, id }: SessionKey): string => `${principal.length}:${principal}${id}`
