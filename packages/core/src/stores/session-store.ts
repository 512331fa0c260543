import type { Awaitable } from '../util/promises.ts'
import type { ClientCapabilities, Implementation, LogLevel } from '../protocol/types.ts'

/** One session as plain JSON, so that another process can continue it. */
export interface SessionRecord {
  readonly id: string
  /** An empty string for an anonymous client. Part of the key. */
  readonly principal: string
  /** The name of the server. Left out in records of other versions: then any server continues the session. */
  readonly server?: string
  readonly revision: string
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly initialized: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly logLevel?: LogLevel
  /** The lists with `listChanged` in the capabilities that the client got. */
  readonly listChanged: readonly ('tools' | 'resources' | 'prompts')[]
  /** URIs the client has subscribed to. */
  readonly subscriptions: readonly string[]
  /** URLs that the user was asked to open, until their completion. */
  readonly pendingUrls?: readonly PendingUrl[]
  /** The stream for messages that belong to no call: the node that writes it, and its name there. */
  readonly stream?: { readonly node: string; readonly token?: string }
}

/** The key of a session record. Two principals never share one. */
export interface SessionKey {
  readonly principal: string
  readonly id: string
}

/** A record as the store holds it. */
export interface StoredSession {
  readonly record: SessionRecord
  /** Differs from that of every other content of the record. Opaque. */
  readonly version: string
}

/** Limits of a new record. */
export interface SessionLifetime {
  /** How long the record is kept if nothing renews it, in ms. */
  readonly ttlMs: number
  /**
   * Records of its principal: one more drops another, the one that expires first. One that was created in the last
   * seconds gives way only to a flood of such records. Left out for anonymous clients.
   */
  readonly maxPerPrincipal?: number
}

/** Stores session records, limited in number and time. */
export interface SessionStore {
  /** Stores a record whose id is new, and resolves to its version. */
  create(record: SessionRecord, lifetime: SessionLifetime): Awaitable<string>
  /** Reads a record. With `ttlMs`, its time to live begins anew. */
  get(key: SessionKey, ttlMs?: number): Awaitable<StoredSession | undefined>
  /**
   * Replaces a record that still has this version, and begins its time to live anew. Resolves to the new
   * version. Resolves to undefined, and changes nothing, if there is no record, or it has another version.
   */
  replace(record: SessionRecord, version: string, ttlMs: number): Awaitable<string | undefined>
  /** Resolves to whether the record existed. */
  delete(key: SessionKey): Awaitable<boolean>
}

/** A URL that a user was asked to open, by the id of its elicitation. */
export interface PendingUrl {
  readonly id: string
  /** When it is forgotten, in ms since 1970. */
  readonly until: number
}

/** Per session; the oldest is dropped first. */
const MAX_URLS = 64
/** A user who signs in is done after an hour, or has given up. */
const KEPT_MS = 3_600_000

/** Adds ids, and drops those that are too old or too many. */
export function withPendingUrls(
  known: readonly PendingUrl[],
  ids: readonly string[],
  now: number,
): readonly PendingUrl[] {
  const added = ids.map((id) => ({ id, until: now + KEPT_MS }))
  return [...known.filter(({ until }) => until > now), ...added].slice(-MAX_URLS)
}

/** Removes an id; undefined if it is not in the list. */
export function withoutPendingUrl(
  known: readonly PendingUrl[],
  id: string,
  now: number,
): readonly PendingUrl[] | undefined {
  const live = known.filter(({ until }) => until > now)
  return live.some((it) => it.id === id) ? live.filter((it) => it.id !== id) : undefined
}
