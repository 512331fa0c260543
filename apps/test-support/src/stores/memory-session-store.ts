import {
  type Clock,
  type SessionKey,
  type SessionLifetime,
  type SessionRecord,
  type SessionStore,
  type StoredSession,
  systemClock,
} from '@jetway/core/stores'

interface MemorySessionStoreOptions {
  /** The maximum number of records. Beyond it, the least recently used record is dropped. @default 10_000 */
  readonly max?: number
  readonly clock?: Clock
}

interface Entry extends StoredSession {
  expiresAt: number
}

/**
 * The number of oldest records that each write checks for expiry. It exceeds the number of records that a
 * write adds.
 */
const SWEEP_STEPS = 2

/**
 * Stores session records in this process, for tests with several nodes. No timer is needed for expiry, because
 * it is checked on access.
 */
export class MemorySessionStore implements SessionStore {
  readonly #max: number
  readonly #clock: Clock
  /** The records, from the least to the most recently used. */
  readonly #entries = new Map<string, Entry>()
  readonly #perPrincipal = new Map<string, Set<string>>()
  #versions = 0

  constructor({ max = 10_000, clock = systemClock }: MemorySessionStoreOptions = {}) {
    this.#max = max
    this.#clock = clock
  }

  /** The number of records, including expired ones that have not been removed. */
  get size(): number {
    return this.#entries.size
  }

  create(record: SessionRecord, { ttlMs, maxPerPrincipal }: SessionLifetime): string {
    const key = keyOf(record)
    this.#remove(key)
    this.#sweep()
    this.#makeRoom(record.principal, maxPerPrincipal)
    return this.#add(key, record, ttlMs)
  }

  get(key: SessionKey, ttlMs?: number): StoredSession | undefined {
    const text = keyOf(key)
    const entry = this.#live(text)
    if (entry !== undefined && ttlMs !== undefined) this.#renew(text, entry, ttlMs)
    return entry
  }

  replace(record: SessionRecord, version: string, ttlMs: number): string | undefined {
    const key = keyOf(record)
    if (this.#live(key)?.version !== version) return undefined
    this.#remove(key)
    return this.#add(key, record, ttlMs)
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

  #add(key: string, record: SessionRecord, ttlMs: number): string {
    const version = String(++this.#versions)
    this.#renew(key, { record, version, expiresAt: 0 }, ttlMs)
    return version
  }

  /** Makes an entry the last to be dropped. */
  #renew(key: string, entry: Entry, ttlMs: number): void {
    this.#remove(key)
    entry.expiresAt = this.#clock.now() + ttlMs
    this.#entries.set(key, entry)
    const { principal } = entry.record
    this.#perPrincipal.set(principal, (this.#perPrincipal.get(principal) ?? new Set()).add(key))
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

  #makeRoom(principal: string, maxPerPrincipal = Infinity): void {
    const owned = this.#perPrincipal.get(principal)
    if (owned !== undefined && owned.size >= maxPerPrincipal) this.#remove(owned.values().next().value)
    if (this.#entries.size >= this.#max) this.#remove(this.#entries.keys().next().value)
  }
}

/** Returns a key that starts with the principal's length, because a principal may contain any character. */
const keyOf = ({ principal, id }: SessionKey): string => `${principal.length}:${principal}${id}`
