import type { Awaitable } from '../util/promises.ts'
import type { ClientCapabilities, Implementation, LogLevel } from '../protocol/types.ts'

/** One session as plain JSON, so that another process can continue it. */
export interface SessionRecord {
  readonly id: string
  /** The principal, which is part of the key; an empty string for an anonymous client. */
  readonly principal: string
  /**
   * The name of the server. Records written by other versions may not have a name; any server can continue
   * those sessions.
   */
  readonly server?: string
  readonly revision: string
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly initialized: boolean
  /** When the session was created, in ms since 1970. */
  readonly createdAt: number
  readonly logLevel?: LogLevel
  /** The lists whose capability included `listChanged` when the client connected. */
  readonly listChanged: readonly ('tools' | 'resources' | 'prompts')[]
  /** The URIs to which the client has subscribed. */
  readonly subscriptions: readonly string[]
  /** The URLs that the user was asked to open, but has not completed. */
  readonly pendingUrls?: readonly PendingUrl[]
  /**
   * The GET stream: the node that writes the stream, the stream's name, and the node's fence if the node has
   * seized the stream.
   */
  readonly stream?: { readonly node: string; readonly token?: string | undefined; readonly fence?: number }
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
  /** Deletes a record. Resolves to whether the record existed. */
  delete(key: SessionKey): Awaitable<boolean>
}

/** A URL that a user was asked to open. `id` is the id of the elicitation. */
export interface PendingUrl {
  readonly id: string
  /** When the URL expires, in ms since 1970. */
  readonly until: number
}

/** The maximum number of URLs per session. Beyond it, the oldest URL is dropped. */
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
