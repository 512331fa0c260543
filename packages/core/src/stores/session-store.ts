import type { Awaitable } from '../util/promises.ts'
import type { ClientCapabilities, Implementation, LogLevel } from '../protocol/types.ts'
import type { PendingUrl } from './pending-urls.ts'

/** One session as plain JSON, so that another node, or a later process, can pick it up. */
export interface SessionRecord {
  readonly id: string
  /** Who opened it; an empty string for anonymous. Looked up together with the id, never compared after. */
  readonly principal: string
  readonly revision: string
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly initialized: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly logLevel?: LogLevel
  /** The lists whose changes the client was promised to hear of. */
  readonly listChanged: readonly ('tools' | 'resources' | 'prompts')[]
  /** URIs the client has subscribed to. */
  readonly subscriptions: readonly string[]
  /** Addresses that the user was sent to, of which the client may have to hear that they are done there. */
  readonly addresses?: readonly PendingUrl[]
}

/** Where a session record is kept. Two principals never share one. */
export interface SessionKey {
  readonly principal: string
  readonly id: string
}

/** Keeps session records, bounded in number and in time. */
export interface SessionStore {
  get(key: SessionKey): Awaitable<SessionRecord | undefined>
  /** Writes the record and starts its time to live, in ms, anew. */
  put(record: SessionRecord, ttlMs: number): Awaitable<void>
  /** Starts the time to live anew. */
  touch(key: SessionKey, ttlMs: number): Awaitable<void>
  /** Resolves to whether there was one. */
  delete(key: SessionKey): Awaitable<boolean>
}
