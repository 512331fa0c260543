import type { Awaitable } from '../util/promises.ts'
import type { ClientCapabilities, Implementation, LogLevel } from '../protocol/types.ts'
import type { PendingUrl } from './pending-urls.ts'

/** One session as plain JSON, so that another process can continue it. */
export interface SessionRecord {
  readonly id: string
  /** An empty string for an anonymous client. Part of the key. */
  readonly principal: string
  /** The name of the server. Missing in records of other versions, which any server continues. */
  readonly server?: string
  readonly revision: string
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly initialized: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly logLevel?: LogLevel
  /** The lists with `listChanged` in the capabilities that the client got. */
  readonly listChanged: readonly ('tools' | 'resources' | 'prompts')[]
  /** The URIs that the client has subscribed to. */
  readonly subscriptions: readonly string[]
  /** URLs that the user was asked to open, until their completion. */
  readonly pendingUrls?: readonly PendingUrl[]
  /** The GET stream: the node that writes it, and its name there. */
  readonly stream?: { readonly node: string; readonly token?: string }
}

/** The key of a session record. Two principals never share one. */
export interface SessionKey {
  readonly principal: string
  readonly id: string
}

/** A record as the store returns it. */
export interface StoredSession {
  readonly record: SessionRecord
  /** An opaque text that differs for every content of the record. */
  readonly version: string
}

/** Limits of a new record. */
export interface SessionLifetime {
  /** How long the record is kept unless it is renewed, in ms. */
  readonly ttlMs: number
  /**
   * The maximum number of records of its principal. One more drops the record that expires first. A record
   * created in the last seconds is only dropped in a flood of such records. Omitted for anonymous clients.
   */
  readonly maxPerPrincipal?: number
}

/** Stores session records, limited in number and time. */
export interface SessionStore {
  /** Stores a record with a new id, and resolves to its version. */
  create(record: SessionRecord, lifetime: SessionLifetime): Awaitable<string>
  /** Reads a record. With `ttlMs`, its time to live starts anew. */
  get(key: SessionKey, ttlMs?: number): Awaitable<StoredSession | undefined>
  /**
   * Replaces a record if it still has this version, and starts its time to live anew. Resolves to the new
   * version. Resolves to undefined and changes nothing if there is no record, or it has another version.
   */
  replace(record: SessionRecord, version: string, ttlMs: number): Awaitable<string | undefined>
  /** Resolves to whether the record existed. */
  delete(key: SessionKey): Awaitable<boolean>
}
