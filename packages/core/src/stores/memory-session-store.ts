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
  readonly record: SessionRecord
  readonly expiresAt: number
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
    const text = keyOf(key)
    const entry = this.#entries.get(text)
    if (entry === undefined || entry.expiresAt > this.#clock.now()) return entry?.record
    this.#remove(text)
    return undefined
  }

  put(record: SessionRecord, ttlMs: number): void {
    const key = keyOf(record)
    this.#remove(key)
    this.#sweep()
    this.#makeRoom(record.principal)
    this.#add(key, record, ttlMs)
  }

  touch(key: SessionKey, ttlMs: number): void {
    const record = this.get(key)
    if (record === undefined) return
    const text = keyOf(key)
    this.#remove(text)
    this.#add(text, record, ttlMs)
  }

  delete(key: SessionKey): boolean {
    const known = this.get(key) !== undefined
    this.#remove(keyOf(key))
    return known
  }

  #add(key: string, record: SessionRecord, ttlMs: number): void {
    this.#entries.set(key, { record, expiresAt: this.#clock.now() + ttlMs })
    const owned = this.#perPrincipal.get(record.principal) ?? new Set()
    this.#perPrincipal.set(record.principal, owned.add(key))
  }

  #remove(key: string | undefined): void {
    const entry = key === undefined ? undefined : this.#entries.get(key)
    if (key === undefined || entry === undefined) return
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
      this.#remove(owned.values().next().value)
    if (this.#entries.size >= this.#max) this.#remove(this.#entries.keys().next().value)
  }
}

/** Starts with the length of the principal, which may contain any character. */
const keyOf = ({ principal, id }: SessionKey): string => `${principal.length}:${principal}${id}`
