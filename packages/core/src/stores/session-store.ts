import type { Awaitable } from '../util/promises.ts'
import type { ClientCapabilities, Implementation, LogLevel } from '../protocol/types.ts'
import { type Clock, systemClock } from '../util/clock.ts'

/** One session as plain JSON, so that another process can continue it. */
export interface SessionRecord {
  readonly id: string
  /** An empty string for an anonymous client. Part of the key. */
  readonly principal: string
  /**
   * The name of the server. Records written by other versions may not have a name; any server can continue
   * those sessions.
   */
  readonly server?: string
  readonly revision: string
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly initialized: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly logLevel?: LogLevel
  /** The lists whose capability included `listChanged` when the client connected. */
  readonly listChanged: readonly ('tools' | 'resources' | 'prompts')[]
  /** The URIs that the client has subscribed to. */
  readonly subscriptions: readonly string[]
  /** The URLs that the user was asked to open, but has not completed. */
  readonly pendingUrls?: readonly PendingUrl[]
  /** The GET stream: the node that writes the stream, and the stream's name on that node. */
  readonly stream?: { readonly node: string; readonly token?: string }
}

/** The key of a session record. Two principals never share a key. */
export interface SessionKey {
  readonly principal: string
  readonly id: string
}

/** A record as returned by the store. */
export interface StoredSession {
  readonly record: SessionRecord
  /** An opaque string that changes whenever the record changes. */
  readonly version: string
}

/** Limits for a new record. */
export interface SessionLifetime {
  /** How long the record is kept if it is not renewed, in ms. */
  readonly ttlMs: number
  /**
   * The maximum number of records for this principal, or for all anonymous clients combined. When it is
   * exceeded, the record that expires first is dropped. Records that are only a few seconds old are dropped
   * only if there is a flood of them.
   */
  readonly maxPerPrincipal?: number
}

/** Stores session records. Their number and lifetime are limited. */
export interface SessionStore {
  /** Stores a record with a new id. Resolves to the record's version. */
  create(record: SessionRecord, lifetime: SessionLifetime): Awaitable<string>
  /** Reads a record. If `ttlMs` is given, the record's time to live restarts. */
  get(key: SessionKey, ttlMs?: number): Awaitable<StoredSession | undefined>
  /**
   * Replaces a record if it still has this version, restarts its time to live, and resolves to the new version.
   * If the version differs, or if there is no record, resolves to undefined.
   */
  replace(record: SessionRecord, version: string, ttlMs: number): Awaitable<string | undefined>
  /** Deletes a record. Resolves to whether it existed. */
  delete(key: SessionKey): Awaitable<boolean>
}

/** A URL that a user was asked to open, by the id of its elicitation. */
export interface PendingUrl {
  readonly id: string
  /** When the URL expires, in ms since 1970. */
  readonly until: number
}

/** The maximum number of URLs per session. The oldest is dropped first. */
const MAX_URLS = 64
/** How long a URL is kept, in ms. After an hour, a user has either signed in or given up. */
const KEPT_MS = 3_600_000

/** Adds ids. Drops ids that have expired, and the oldest ids if there are too many. */
export function withPendingUrls(
  known: readonly PendingUrl[],
  ids: readonly string[],
  now: number,
): readonly PendingUrl[] {
  const added = ids.map((id) => ({ id, until: now + KEPT_MS }))
  return [...known.filter(({ until }) => until > now), ...added].slice(-MAX_URLS)
}

/** Removes an id. Returns undefined if it is not in the list. */
export function withoutPendingUrl(
  known: readonly PendingUrl[],
  id: string,
  now: number,
): readonly PendingUrl[] | undefined {
  const live = known.filter(({ until }) => until > now)
  return live.some((it) => it.id === id) ? live.filter((it) => it.id !== id) : undefined
}

interface MemorySessionStoreOptions {
  /**
   * The maximum number of records. When it is exceeded, the least recently used record is dropped. @default
   * 10_000
   */
  readonly max?: number
  readonly clock?: Clock
}

interface Entry extends StoredSession {
  expiresAt: number
}

/** The number of oldest records that each write checks for expiry. Each write adds fewer records than that. */
const SWEEP_STEPS = 2

/** Stores session records in this process. No timer is needed for expiry, because it is checked on access. */
export class MemorySessionStore implements SessionStore {
  readonly #max: number
  readonly #clock: Clock
  /** The records in the order of their last use, least recent first. */
  readonly #entries = new Map<string, Entry>()
  readonly #perPrincipal = new Map<string, Set<string>>()
  #versions = 0

  constructor({ max = 10_000, clock = systemClock }: MemorySessionStoreOptions = {}) {
    this.#max = max
    this.#clock = clock
  }

  /** The number of records, including expired records that have not been removed yet. */
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

  /** Moves an entry to the end, so that it will be dropped last. */
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
