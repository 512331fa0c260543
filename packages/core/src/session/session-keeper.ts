import type { JsonRpcResponse, RequestId } from '../protocol/jsonrpc.ts'
import type { SessionRecord } from '../stores/session-store.ts'
import type { Awaitable } from '../util/promises.ts'

/** Carries messages that belong to no request: the GET stream, or the duplex transport. */
export interface SessionChannel {
  send(frame: string): void | Promise<void>
  /** Sends a ping; false if the client is not connected. */
  ping?(frame: string): boolean
  /** Another node writes the stream. It sees changes itself, and gets only what this one alone knows. */
  readonly remote?: boolean
}

/**
 * The transport's part of a session. An object, because functions for each session would
 * take more memory than the rest.
 */
export interface SessionKeeper {
  /** Stores a change that the record has now. Resolves when other processes see it. */
  recordChanged(change: ChangeRecord): Awaitable<void>
  /** Runs once, before the listeners of the session's end. */
  sessionClosed(cause: CloseCause): void
  /** The id of this node, where the session may have requests on several. */
  readonly node?: string | undefined
  /** Takes the response to a request of another node; false if there is none. */
  answerElsewhere?(response: JsonRpcResponse): boolean
  /** Ends the call with this id on other nodes, if there are any. */
  cancelElsewhere?(id: RequestId): void
}

/**
 * Why a session closes here. `ended`: it is over, for every process. `released`: this process keeps it no
 * longer, and another one may continue it.
 */
export type CloseCause = 'ended' | 'released'

/**
 * Computes a change from the record as it is. Runs again if another process has changed the record meanwhile.
 */
export type ChangeRecord = (record: SessionRecord) => RecordChange

/** The members of a record that change during a session. */
export type RecordChange = Partial<
  Pick<SessionRecord, 'initialized' | 'logLevel' | 'subscriptions' | 'pendingUrls' | 'stream'>
>
