import type { AuthInfo } from '../runtime/auth.ts'

/** Which of a mount's addresses was called. */
export type Door = 'mcp' | 'sse' | 'message'

/** A request as every adapter hands it over: the head at once, the body when the guard has passed the head. */
export interface HttpRequest {
  readonly method: string
  readonly door: Door
  /** The first value of a query parameter. */
  query(name: string): string | undefined
  /** The value of a header, by its lower-case name. */
  header(name: string): string | undefined
  /** All values of a header as they stood on the wire: a repeat of some is refused. */
  headers(name: string): readonly string[]
  /**
   * The first header that stands more than once on the wire and must not, or undefined. Optional: without it the
   * guard asks `headers()` for each of them. Adapters that have the raw header list answer it in one pass with
   * `repeatedHeader(rawHeaders)`.
   */
  repeated?(): string | undefined
  readonly peer?: { readonly localAddress?: string; readonly remoteAddress?: string }
  /** Reads the body, at most once. Rejects with a {@link BodyError}. `parsed` is for hosts that parse before us. */
  body(
    limit: number,
  ): Uint8Array | { readonly parsed: unknown } | Promise<Uint8Array | { readonly parsed: unknown }>
  /** What the host's own authentication found, if it did any. */
  readonly auth?: AuthInfo
  /** What the mount's `context` option made of the host's request. */
  readonly mount?: unknown
  /**
   * Aborts when the peer goes away. Read lazily, and only for streams: creating one costs as much as a small call.
   * Read after the peer has gone, it is aborted already.
   */
  readonly signal: AbortSignal
  waitUntil?(work: Promise<unknown>): void
}

export interface HttpHead {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Either a whole body or a stream of frames. Replies without a body may be one shared, frozen object: do not change it.
 * An adapter sends the head as soon as it has it and calls `open` once; text is UTF-8.
 */
export type HttpReply =
  | (HttpHead & { readonly body?: string; readonly open?: never })
  | (HttpHead & { readonly open: (sink: FrameSink) => void; readonly body?: never })

/** Where an adapter lets a stream be written. */
export interface FrameSink {
  /** Takes one chunk of text; a promise only while the peer is behind. Never throws or rejects. */
  write(chunk: string): void | Promise<void>
  /** Ends the stream. Called once; the peer may have gone before. */
  close(): void
}

/** Why a body could not be read. */
export class BodyError extends Error {
  readonly status: 400 | 413

  constructor(status: 400 | 413, message: string) {
    super(message)
    this.name = 'BodyError'
    this.status = status
  }
}
