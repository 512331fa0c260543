import type { RequestId } from '../protocol/jsonrpc.ts'
import type { Awaitable } from '../util/promises.ts'

/** The key of a stream. It contains the principal, because a session id alone must not open a stream. */
export interface StreamKey {
  readonly principal: string
  readonly session: string
  readonly stream: string
}

/** A position in a stream. A restart changes the epoch, so that lost events are noticed. */
export interface Cursor {
  readonly epoch: string
  /** The number of the last event that was seen; 0 before the first event. */
  readonly seq: number
}

/** An event that is stored for replay. */
export interface StoredEvent {
  /** The number of the event. Each stream starts at 1. */
  readonly seq: number
  /** One JSON-RPC frame, or an empty string for a priming event. */
  readonly frame: string
  /** The request to which the frame responds, and which is no longer pending. */
  readonly answers?: RequestId
  /** The size of the frame in UTF-8 bytes, if it is known. */
  readonly bytes?: number
}

/** The writer of a stream, and the stream's purpose. */
export interface StreamOrigin {
  /** The id of the node that writes. */
  readonly node: string
  /** `call` for the reply to a POST, `session` for messages outside of any call. */
  readonly kind: 'call' | 'session'
  /** The requests whose responses will be sent on the stream. */
  readonly pending: readonly RequestId[]
}

/** The right to write to a stream, until another node seizes the stream. */
export interface StreamLease {
  /** Identifies this stream among streams with the same key: at most 64 letters, digits, `-` and `_`. */
  readonly epoch: string
  /** Increases each time that a node seizes the stream. */
  readonly fence: number
}

/**
 * `kept`: the events are stored. `lost`: the stream is unknown, has ended, or lacks the event that precedes
 * these, so it cannot be continued. `fenced`: another node has seized it.
 */
export interface AppendResult {
  readonly state: 'kept' | 'lost' | 'fenced'
  /** The node whose client reads the stream; undefined if that node is the writer. */
  readonly follower?: string | undefined
}

/** The part of a stream after a position. */
export interface StreamState {
  readonly events: readonly StoredEvent[]
  readonly ended: boolean
  /** The node that writes the stream. */
  readonly node: string
  readonly kind: StreamOrigin['kind']
  /** The position of its last event. */
  readonly last: number
  /** The node whose client reads the stream; undefined if that node is the writer. */
  readonly follower?: string | undefined
}

/** A stream after another node has seized it. */
export interface SeizedStream {
  readonly lease: StreamLease
  /** The position of its last event. */
  readonly last: number
  readonly kind: StreamOrigin['kind']
  /** The requests to which the former writer has not responded. */
  readonly pending: readonly RequestId[]
}

/**
 * Stores the events of SSE streams for `Last-Event-ID`, limited in number, bytes and time. A stream has only
 * one writer at a time, and events from other nodes are never stored. A stream that has not ended is kept as
 * long as its writer is running.
 */
export interface EventStore {
  /** The size of the store in this process, for `stats()`. */
  readonly size?: { readonly streams: number; readonly events: number; readonly bytes: number }
  /**
   * Starts a stream, and deletes an earlier stream with the same key. May return before the stream is stored.
   * In that case, `append` waits until the stream is stored, and reports a failure.
   */
  open(key: StreamKey, origin: StreamOrigin): Awaitable<StreamLease>
  /**
   * Stores events in order. Events that are already stored are skipped, so a failed call may be repeated.
   * `final` marks the last of these events as the last event in the stream, which is not dropped because of limits.
   */
  append(
    key: StreamKey,
    lease: StreamLease,
    events: readonly StoredEvent[],
    options?: { readonly final?: boolean },
  ): Awaitable<AppendResult>
  /**
   * Stores a stream that ends with its first event, like `open` and a final `append` in one step. Resolves when the
   * stream is stored.
   */
  complete(key: StreamKey, origin: StreamOrigin, event: StoredEvent): Awaitable<StreamLease>
  /**
   * Returns the events after the cursor, or undefined if the stream, epoch or position is unknown or has been
   * dropped. `reader` is the node whose client continues from here. That node becomes the follower. If it is
   * the writer, the stream no longer has a follower.
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
