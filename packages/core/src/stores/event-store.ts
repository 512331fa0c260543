import type { Awaitable } from '../util/promises.ts'

/** Includes the principal: a session id alone must not open a stream. */
export interface StreamKey {
  readonly principal: string
  readonly session: string
  readonly stream: string
}

/** A position in a stream. A restart changes the epoch, so that lost events are noticed. */
export interface Cursor {
  readonly epoch: string
  /** The last event seen; 0 before the first. */
  readonly seq: number
}

/** An event, stored for replay. */
export interface StoredEvent {
  /** Counts from 1 in each stream. */
  readonly seq: number
  /** One JSON-RPC frame, or an empty string for a priming event. */
  readonly frame: string
}

/** Stores the events of SSE streams for `Last-Event-ID`. Limited in number, bytes and time. */
export interface EventStore {
  /** Its size in this process, for `stats()`. */
  readonly size?: { readonly streams: number; readonly events: number; readonly bytes: number }
  /** Starts a stream and returns its epoch. */
  open(key: StreamKey): Awaitable<string>
  /**
   * Stores an event. `final` marks the response: the limits on events do not drop it, and no event follows it. `bytes` is
   * the size of the frame in UTF-8, where it is known.
   */
  append(
    key: StreamKey,
    event: StoredEvent,
    options?: { readonly final?: boolean; readonly bytes?: number },
  ): Awaitable<void>
  /** The events after the cursor; undefined if the stream, epoch or position is unknown or evicted. */
  read(key: StreamKey, after: Cursor): Awaitable<readonly StoredEvent[] | undefined>
  /** Deletes one stream, or all streams of a session. */
  delete(key: Omit<StreamKey, 'stream'> & { readonly stream?: string }): Awaitable<void>
}
