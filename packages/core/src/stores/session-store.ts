import type { Awaitable } from '../util/promises.ts'
import type { ClientCapabilities, Implementation, LogLevel } from '../protocol/types.ts'
import type { PendingUrl } from './pending-urls.ts'

/** One session as plain JSON, so that another process can continue it. */
export interface SessionRecord {
  readonly id: string
  /** An empty string for an anonymous client. Part of the key. */
  readonly principal: string
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
}

/** The key of a session record. Two principals never share one. */
export interface SessionKey {
  readonly principal: string
  readonly id: string
}

/** Stores session records, limited in number and time. */
export interface SessionStore {
  get(key: SessionKey): Awaitable<SessionRecord | undefined>
  /** Writes the record, and restarts its time to live in ms. */
  put(record: SessionRecord, ttlMs: number): Awaitable<void>
  /** Restarts the time to live. */
  touch(key: SessionKey, ttlMs: number): Awaitable<void>
  /** Resolves to whether the record existed. */
  delete(key: SessionKey): Awaitable<boolean>
}
