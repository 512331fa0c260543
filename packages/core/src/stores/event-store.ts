import type { RequestId } from '../protocol/jsonrpc.ts'
import type { Awaitable } from '../util/promises.ts'

/**
 * The key of a stream. It contains the principal, because a session id alone must not give access to a stream.
 */
export interface StreamKey {
  readonly principal: string
  readonly session: string
  readonly stream: string
}

/** A position in a stream. A restart changes the epoch, so that lost events are detected. */
export interface Cursor {
  readonly epoch: string
  /** The number of the last event that was received; 0 before the first event. */
  readonly seq: number
}

/** An event that is stored for replay. */
export interface StoredEvent {
  /** The number of the event. Each stream starts at 1. */
  readonly seq: number
  /** One JSON-RPC frame, or an empty string for a priming event. */
  readonly frame: string
  /** The id of the request to which the frame responds. That request is no longer pending. */
  readonly answers?: RequestId
  /** The size of the frame in UTF-8 bytes, if it is known. */
  readonly bytes?: number
}

/** The writer of a stream, and the stream's purpose. */
export interface StreamOrigin {
  /** The id of the node that writes the stream. */
  readonly node: string
  /** `call` for the reply to a POST request, or `session` for messages outside any call. */
  readonly kind: 'call' | 'session'
  /** The requests whose responses will be sent on the stream. */
  readonly pending: readonly RequestId[]
}

/** The right to write to a stream, until another node seizes the stream. */
export interface StreamLease {
  /** Identifies this stream among streams with the same key: at most 64 letters, digits, `-` and `_`. */
  readonly epoch: string
  /** Increases each time a node seizes the stream. */
  readonly fence: number
}

/**
 * `kept`: the events are stored. `lost`: the stream cannot be continued, because it is unknown, has ended, or
 * does not contain the event before these. `fenced`: another node has seized the stream.
 */
export interface AppendResult {
  readonly state: 'kept' | 'lost' | 'fenced'
  /** The node whose client reads the stream; undefined if that node is the writer. */
  readonly follower?: string | undefined
}

/** The events of a stream after a position. */
export interface StreamState {
  readonly events: readonly StoredEvent[]
  readonly ended: boolean
  /** The node that writes the stream. */
  readonly node: string
  readonly kind: StreamOrigin['kind']
  /** The position of the stream's last event. */
  readonly last: number
  /** The node whose client reads the stream; undefined if that node is the writer. */
  readonly follower?: string | undefined
}

/** A stream after another node has seized it. */
export interface SeizedStream {
  readonly lease: StreamLease
  /** The position of the stream's last event. */
  readonly last: number
  readonly kind: StreamOrigin['kind']
  /** The requests to which the previous writer has not responded. */
  readonly pending: readonly RequestId[]
}

/**
 * Stores the events of SSE streams, so that clients can resume with `Last-Event-ID`. Their number, size and age
 * are limited. A stream has only one writer at a time, and events from other nodes are never stored. A stream
 * that has not ended is kept as long as its writer is running.
 */
export interface EventStore {
  /** The size of this process's store, for `stats()`. */
  readonly size?: { readonly streams: number; readonly events: number; readonly bytes: number }
  /**
   * Starts a stream, and deletes an earlier stream with the same key. May return before the stream has been
   * stored; `append` then waits until it has been stored, and reports any failure.
   */
  open(key: StreamKey, origin: StreamOrigin): Awaitable<StreamLease>
  /**
   * Stores events in order. Events that are already stored are skipped, so a failed call may be repeated. If
   * `final` is set, the last of these events is also the last event in the stream, and limits do not cause it
   * to be dropped.
   */
  append(
    key: StreamKey,
    lease: StreamLease,
    events: readonly StoredEvent[],
    options?: { readonly final?: boolean },
  ): Awaitable<AppendResult>
  /**
   * Stores a stream that ends with its first event, like `open` and a final `append` in one step. Resolves
   * when the stream has been stored.
   */
  complete(key: StreamKey, origin: StreamOrigin, event: StoredEvent): Awaitable<StreamLease>
  /**
   * Returns the events after the cursor, or undefined if the stream, epoch or position is unknown or has been
   * dropped. `reader` is the node whose client continues from the cursor. That node becomes the stream's
   * follower unless it is the writer, in which case the stream has no follower.
   */
  read(key: StreamKey, after: Cursor, reader?: string): Awaitable<StreamState | undefined>
  /**
   * Makes a node the writer of a stream. Returns undefined if the stream is unknown, has ended, or has a
   * different epoch.
   */
  seize(key: StreamKey, epoch: string, node: string): Awaitable<SeizedStream | undefined>
  /** Deletes one stream, or all streams of a session. */
  delete(key: Omit<StreamKey, 'stream'> & { readonly stream?: string }): Awaitable<void>
}
