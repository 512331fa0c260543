import type { JsonRpcResponse, RequestId } from '../protocol/jsonrpc.ts'
import type { SessionRecord } from '../stores/session-store.ts'
import type { Awaitable } from '../util/promises.ts'

/** Carries messages that do not belong to a request, on the GET stream or the duplex transport. */
export interface SessionChannel {
  send(frame: string): void | Promise<void>
  /** Sends a ping. Returns false if the client is not connected. */
  ping?(frame: string): boolean
  /**
   * Whether another node writes the stream. That node observes changes itself, so this node sends only
   * messages that are not caused by a change.
   */
  readonly remote?: boolean
}

/**
 * The transport's part of a session. It is an object, because separate functions for each session would take more
 * memory than the rest of the session.
 */
export interface SessionKeeper {
  /** Stores a change to the record. Resolves when other processes can see the change. */
  recordChanged(change: ChangeRecord): Awaitable<void>
  /** Runs once, before the session's close listeners. */
  sessionClosed(cause: CloseCause): void
  /** The id of this node, if the session may have requests on several nodes. */
  readonly node?: string | undefined
  /** Undefined if there are no other nodes. */
  readonly link?: OtherNodes | undefined
}

/** The other nodes that serve a session. */
export interface OtherNodes {
  /**
   * Passes a response to the node that sent the request. Returns false if no other node sent it. Rejects if the
   * response may not reach that node.
   */
  answerElsewhere(response: JsonRpcResponse): false | Promise<true>
  /** Ends the calls with this id on other nodes. Rejects if the cancellation may not reach them. */
  cancelElsewhere(id: RequestId): Promise<true>
}

/**
 * Why a session closes in this process. `ended`: the session has ended in every process. `released`: this
 * process drops the session, and another process may continue it.
 */
export type CloseCause = 'ended' | 'released'

/**
 * Computes a change from the current record. Runs again if another process has changed the record in the meantime.
 */
export type ChangeRecord = (record: SessionRecord) => RecordChange

/** The members of a record that can change during a session. */
export type RecordChange = Partial<
  Pick<SessionRecord, 'initialized' | 'logLevel' | 'subscriptions' | 'pendingUrls' | 'stream'>
>
