import type { Awaitable } from '../util/promises.ts'

/** Never the session id alone: a stream belongs to a principal. */
export interface StreamKey {
  readonly principal: string
  readonly session: string
  readonly stream: string
}

/** Where a reader left off. The epoch names one life of the stream, so that a loss in a restart is known. */
export interface Cursor {
  readonly epoch: string
  /** The last event seen; 0 before the first. */
  readonly seq: number
}

/** An event as a stream sent it, to be sent again. */
export interface StoredEvent {
  /** Counts from 1 in each stream. Never a clock: two events of a millisecond would trade places. */
  readonly seq: number
  /** One JSON-RPC frame, or an empty string for a priming event. */
  readonly frame: string
}

/** The log of the events that went out on SSE streams, for `Last-Event-ID`. Bounded by events, bytes and time. */
export interface EventStore {
  /** What it holds in this process, for `stats()`. Cheap, and never asked on the way of a request. */
  readonly size?: { readonly streams: number; readonly events: number; readonly bytes: number }
  /** Starts a stream and names its epoch. */
  open(key: StreamKey): Awaitable<string>
  /** Keeps an event. `final` marks the response, which outlives the limits on events; nothing is kept after it. */
  append(key: StreamKey, event: StoredEvent, options?: { readonly final?: boolean }): Awaitable<void>
  /** Everything after the cursor, or undefined if the stream, the epoch or the position is unknown or evicted. */
  read(key: StreamKey, after: Cursor): Awaitable<readonly StoredEvent[] | undefined>
  /** Forgets one stream, or with `stream` left out all of a session. */
  delete(key: Omit<StreamKey, 'stream'> & { readonly stream?: string }): Awaitable<void>
}
