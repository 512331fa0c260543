import type { AuthInfo } from '../stores/principal.ts'

/** Which of a mount's addresses was called. */
export type Route = 'mcp' | 'sse' | 'message'

/**
 * A request as every adapter hands it over. What an adapter must hold, in short; the contract suite of
 * `@jetway/testing/adapter` says it in tests:
 *
 * - It hands over the head at once and reads the body only when asked: the guard refuses by the head alone.
 * - It decides nothing: no status, no media type, no Origin. What is not JSON reaches the endpoint as bytes.
 * - Every request that is for its address gets to the endpoint, whatever its method.
 */
export interface HttpRequest {
  /** As it stood on the wire, HEAD and OPTIONS included. */
  readonly method: string
  readonly route: Route
  /**
   * The path as it stood on the wire, without the query. Asked for at the door `sse` alone, to tell the client a path
   * with the same prefix; an adapter that does not give it serves that door at the root.
   */
  readonly path?: string | undefined
  /** The first value of a query parameter, decoded. */
  query(name: string): string | undefined
  /** The value of a header, by its lower-case name; the first one where that is known, all of them joined otherwise. */
  header(name: string): string | undefined
  /**
   * All values of a header as they stood on the wire, by its lower-case name: a repeat of some is refused, for a proxy
   * may have read the other one. A runtime that has joined them gives the joined value, which is refused as malformed.
   */
  headers(name: string): readonly string[]
  /**
   * The first header that stands more than once on the wire and must not, or undefined. Optional: without it the
   * guard asks `headers()` for each of them. Adapters that have the raw header list answer it in one pass with
   * `repeatedHeader(rawHeaders)`.
   */
  duplicateHeader?(): string | undefined
  /**
   * The socket's own addresses, never those of a Forwarded header: on a loopback address only loopback Hosts are taken,
   * which stops pages that have rebound their name. Left out where the runtime does not tell.
   */
  readonly peer?:
    | { readonly localAddress?: string | undefined; readonly remoteAddress?: string | undefined }
    | undefined
  /** Whether `Endpoint.mayRead` has let the head pass, which is not judged again then. */
  readonly headJudged?: boolean | undefined
  /**
   * Reads the body, at most once, and only when called. `parsed` is for hosts that have parsed it before.
   *
   * @param limit bytes; neither more nor a declared length beyond it may be kept in memory
   * @throws a {@link BodyError}, as a rejection: 413 beyond the limit, 400 when the body ends early or is gone. The
   * connection must survive it, at least until the reply is sent.
   */
  body(
    limit: number,
  ): Uint8Array | { readonly parsed: unknown } | Promise<Uint8Array | { readonly parsed: unknown }>
  /** What the host's own authentication found, if it did any. */
  readonly auth?: AuthInfo | undefined
  /** What the mount's `context` option made of the host's request. Read once, after the guard; it may throw. */
  readonly locals?: unknown
  /**
   * Aborts when the peer goes away before its reply is whole, whether that reply has begun or not. Read lazily, and only
   * for streams: creating one costs as much as a small call. Read after the peer has gone, it is aborted already.
   */
  readonly signal: AbortSignal
  /** Keeps a runtime that stops between requests alive for work that outlives the reply. */
  waitUntil?(work: Promise<unknown>): void
}

/** The status and the headers of a reply. Headers that the host has set on its own are kept beside these. */
export interface HttpHead {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Either a whole body or a stream of frames. Replies without a body may be one shared, frozen object: do not change it.
 * An adapter sends the head as soon as it has it, before the first frame of a stream, and calls `open` exactly once, even
 * when the peer has gone in the meantime. Text is UTF-8, and bytes are sent as they are. No body is sent in reply to HEAD.
 */
export type HttpReply =
  | (HttpHead & { readonly body?: string | Uint8Array<ArrayBuffer>; readonly open?: never })
  | (HttpHead & { readonly open: (sink: FrameSink) => void; readonly body?: never })

/** Where an adapter lets a stream be written. */
export interface FrameSink {
  /**
   * Takes one chunk of text, to be sent at once and whole. Gives a promise only while the peer is behind: it resolves when
   * the peer has caught up, and also when it has gone, or the writer waits for ever. Never throws or rejects; after the
   * peer has gone it does nothing.
   */
  write(chunk: string): void | Promise<void>
  /** Ends the stream. Called once; the peer may have gone before. */
  close(): void
}

/** Why a body could not be read: 413 beyond the limit, 400 for all else. Answered as JSON-RPC. */
export class BodyError extends Error {
  readonly status: 400 | 413

  constructor(status: 400 | 413, message: string) {
    super(message)
    this.name = 'BodyError'
    this.status = status
  }

  /** For a body beyond the limit, in bytes: declared to be, or found to be while it is read. */
  static tooLarge(limit: number): BodyError {
    return new BodyError(413, `The body is larger than ${limit} bytes`)
  }

  /** For a body whose stream has failed: most likely the peer has left. */
  static endedEarly(): BodyError {
    return new BodyError(400, 'The body ended early')
  }
}
