import type { JsonRpcResponse, RequestId } from '../protocol/jsonrpc.ts'
import type { SessionRecord } from '../stores/session-store.ts'
import type { Awaitable } from '../util/promises.ts'

/** Carries messages that belong to no request: over the GET stream or the duplex transport. */
export interface SessionChannel {
  send(frame: string): void | Promise<void>
  /** Sends a ping. Returns false if the client is not connected. */
  ping?(frame: string): boolean
  /**
   * True if another node writes the stream. That node sees changes itself, so it gets only what this node alone
   * knows.
   */
  readonly remote?: boolean
}

/**
 * The transport's part of a session. It is an object because functions for each session would take more memory
 * than everything else.
 */
export interface SessionKeeper {
  /** Stores a change of the record. Resolves when other processes see it. */
  recordChanged(change: ChangeRecord): Awaitable<void>
  /** Runs once, before the listeners of the session's end. */
  sessionClosed(cause: CloseCause): void
  /** The id of this node if the session may have requests on several nodes. */
  readonly node?: string | undefined
  /** Passes the response to a request of another node on. Returns false if there is none. */
  answerElsewhere?(response: JsonRpcResponse): boolean
  /** Ends the calls with this id on other nodes. */
  cancelElsewhere?(id: RequestId): void
}

/**
 * Why a session closes here. `ended`: it has ended in every process. `released`: this process drops it, and
 * another one may continue it.
 */
export type CloseCause = 'ended' | 'released'

/**
 * Computes a change from the current record. Runs again if another process has changed the record meanwhile.
 */
export type ChangeRecord = (record: SessionRecord) => RecordChange

/** The members of a record that can change during a session. */
export type RecordChange = Partial<
  Pick<SessionRecord, 'initialized' | 'logLevel' | 'subscriptions' | 'pendingUrls' | 'stream'>
>
