import { type Clock, systemClock } from '../util/clock.ts'
import { ANONYMOUS } from './principal.ts'
import type { SessionKey, SessionRecord, SessionStore } from './session-store.ts'

export interface MemorySessionStoreOptions {
  /** Records in all; the one touched longest ago makes room. @default 10_000 */
  readonly max?: number
  /** Records of one authenticated principal; anonymous clients share `max`. @default 100 */
  readonly maxPerPrincipal?: number
  readonly clock?: Clock
}

interface Entry {
  record: SessionRecord
  expiresAt: number
}

/** How many of the oldest records a write looks at: enough to stay ahead of what writes add. */
const SWEEP_STEPS = 2

/** Session records in this process. Expiry is lazy: no timer runs for it. */
export class MemorySessionStore implements SessionStore {
  readonly #max: number
  readonly #maxPerPrincipal: number
  readonly #clock: Clock
  /** In the order of their last touch, oldest first. */
  readonly #entries = new Map<string, Entry>()
  readonly #perPrincipal = new Map<string, Set<string>>()

  constructor({ max = 10_000, maxPerPrincipal = 100, clock = systemClock }: MemorySessionStoreOptions = {}) {
    this.#max = max
    this.#maxPerPrincipal = maxPerPrincipal
    this.#clock = clock
  }

  /** Records held, those that have expired but were not yet met included. */
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

/** The length says where the principal, which may hold any character, ends. */
const keyOf = ({ principal, id }: SessionKey): string => `${principal.length}:${principal}${id}`
