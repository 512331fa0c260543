import type { AuthInfo } from '../stores/principal.ts'
import type { Logger } from '../util/logger.ts'

/** The path of a mount that was requested. */
export type Route = 'mcp' | 'sse' | 'message'

/**
 * A request without its body. An adapter passes on every request for its paths, regardless of the method. It
 * does not check the media type or the Origin header, and does not choose a status. The contract suite in
 * `@jetway/testing/adapter` tests what an adapter must do.
 */
export interface HttpRequest {
  /** The method in upper case, as sent, including HEAD and OPTIONS. */
  readonly method: string
  readonly route: Route
  /**
   * The path as sent, without the query. The route `sse` puts the prefix of this path before `/message`.
   */
  readonly path?: string | undefined
  /** Returns the first value of a query parameter, decoded. */
  query(name: string): string | undefined
  /**
   * Returns the value of the header with this lower-case name. If the header is repeated, returns the first
   * value, or all values joined.
   */
  header(name: string): string | undefined
  /**
   * Alternating header names and values, as in Node's `rawHeaders`. The guard uses them to find repeated
   * headers, because a proxy in front of the server may have read a different value. Omit this field if the
   * runtime joins repeated headers; joined values are refused as malformed.
   */
  readonly rawHeaders?: readonly string[] | undefined
  /**
   * The socket's own addresses, not those in a Forwarded header. On a loopback address, only loopback names are
   * accepted in the Host header, to prevent DNS rebinding. Omit this field if the runtime does not know the
   * addresses.
   */
  readonly peer?:
    | { readonly localAddress?: string | undefined; readonly remoteAddress?: string | undefined }
    | undefined
  /** The result of the host framework's own authentication, if there is one. */
  readonly auth?: AuthInfo | undefined
  /** The result of the mount's `locals` option. It is read once, after authentication. Reading it may throw. */
  readonly locals?: unknown
  /**
   * The host framework's logger for this request, if it has one and the mount's `logger` option is not set.
   * It receives the log lines about the request and its calls.
   */
  readonly logger?: Logger | undefined
  /**
   * The host framework's id for the request. If `logger` is undefined, log lines about the request contain
   * the id as `reqId`.
   */
  readonly id?: string | number | undefined
  /**
   * Aborts when the client disconnects before the reply is complete. Only streams read this signal, so create
   * it lazily, because an AbortController costs as much as a small call. A signal created after the disconnect
   * must already be aborted.
   */
  readonly signal: AbortSignal
  /**
   * Whether the response must wait for earlier responses on its connection, because the client has pipelined
   * its requests. If so, a stream is refused, because the server cannot tell whether the client is still
   * connected.
   */
  readonly isQueued?: boolean | undefined
  /** Keeps the runtime running until the work is done, if the runtime would otherwise stop between requests. */
  waitUntil?(work: Promise<unknown>): void
}

/** The bytes of a body, or the value that the host framework has already parsed. */
export type RequestBody = Uint8Array | { readonly parsed: unknown }

/** Observes the reading of one body. Functions that read a stream report their progress to it. */
export interface BodyReading {
  /**
   * Called when reading begins.
   *
   * @param stop - called if the body takes too long; the body must not be read any further afterwards
   */
  begin(stop: (error: BodyError) => void): void
  /**
   * Counts bytes that have arrived. Returns an error if the mount holds too many bytes, in which case reading
   * must stop.
   */
  add(bytes: number): BodyError | undefined
  /** Called when the body is complete, or when reading stops. Can be called repeatedly. */
  end(): void
}

/** A request that has passed the guard and authentication, and whose body is needed. */
export interface AcceptedRequest {
  /** The maximum number of bytes to read. */
  readonly bodyLimit: number
  /**
   * Limits the time for reading the body, and the bytes of all bodies on the mount, for functions such as
   * `readWebStream`.
   */
  readonly reading: BodyReading
  /**
   * Handles the request. Must be called only once. Never throws or rejects.
   *
   * @param body - the body, or the error thrown by reading it: a {@link BodyError} determines its own status;
   * other errors result in 500
   */
  answer(body: RequestBody | Error): HttpReply | Promise<HttpReply>
}

/** The status and headers of a reply. An adapter adds them to the headers that its host has set. */
export interface HttpHead {
  readonly status: number
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A reply with a complete body or a stream. Replies may be shared, frozen objects, so do not change them. An
 * adapter sends the status and the headers immediately, before the first chunk of a stream, and calls `open`
 * exactly once, even if the client has disconnected. It encodes strings as UTF-8, and replies to HEAD without
 * a body.
 */
export type HttpReply =
  | (HttpHead & { readonly body?: string | Uint8Array<ArrayBuffer>; readonly open?: never })
  | (HttpHead & { readonly open: (sink: FrameSink) => void; readonly body?: never })

export type Reply = HttpReply | Promise<HttpReply>

/** The limits of an endpoint that still apply when it has replied. */
export interface ReplyLimits {
  /**
   * Counts a reply's bytes in `stats().queuedBytes` and towards `limits.queuedBytes`, until the returned
   * function is called. Adapters call this method because only an adapter knows how long its host takes to
   * send the bytes. The server's stats include these bytes, unless a selector chose the server for this
   * request alone. Replies below {@link LARGE_REPLY} need not be counted.
   *
   * @param shorten - called once if too many replies are queued, to reduce the time given to a client that
   * does not read. The argument is true if the reply must make room for other callers immediately
   */
  hold(request: HttpRequest, bytes: number, shorten?: (atOnce: boolean) => void): () => void
  /**
   * Limits the time for a request whose body is not read, in the same way as the time for reading a body. The
   * returned function removes the limit.
   *
   * @param stop - called after `limits.bodyTimeoutMs`
   */
  limitRest(stop: () => void): () => void
}

/** The minimum size of a large reply, in bytes. Smaller replies fit into a socket's buffers. */
export const LARGE_REPLY = 65_536

/** The writable side of a stream, provided by the adapter. */
export interface FrameSink {
  /**
   * Sends one chunk of text immediately. Returns a promise only while the client reads too slowly;
   * the promise resolves when the client has caught up or disconnected. Never throws or rejects.
   * After a disconnect, the chunk is ignored.
   */
  write(chunk: string): void | Promise<void>
  /** Ends the stream. Called once, even after a disconnect. */
  close(): void
}

/**
 * Why a body could not be read. The status is 413 if the body is too large, 408 if it takes too long, 503 if
 * the mount holds too many bytes, 415 if the body is compressed, and 400 otherwise.
 */
export class BodyError extends Error {
  readonly status: 400 | 408 | 413 | 415 | 503
  /** Whether the app has already read the body. If so, the error's message is sent to the client and logged. */
  readonly lost: boolean = false

  constructor(status: 400 | 408 | 413 | 415 | 503, message: string) {
    super(message)
    this.name = 'BodyError'
    this.status = status
  }

  /** Creates the error for a body that exceeds the limit, in bytes. */
  static tooLarge(limit: number): BodyError {
    return new BodyError(413, `The body is larger than ${limit} bytes`)
  }

  /**
   * Creates the error for a body with a content coding, such as gzip. Only for adapters that read the bytes as
   * the client sent them, because middleware that decompresses a body may leave its header unchanged.
   *
   * @param coding - the `Content-Encoding` header
   * @returns undefined if there is no coding
   */
  static encoded(coding: string | undefined): BodyError | undefined {
    if (coding === undefined || /^(identity)?$/i.test(coding.trim())) return undefined
    return new BodyError(415, 'The body has a Content-Encoding')
  }

  /** Creates the error for a body that was not complete in time. */
  static tooSlow(ms: number): BodyError {
    return new BodyError(408, `The body was not complete in ${ms} ms`)
  }

  /** Creates the error for a mount that holds too many bytes of incomplete bodies. */
  static tooMany(): BodyError {
    return new BodyError(503, 'Too many bodies are being read')
  }

  /**
   * Creates the error for a body that the app has already read and discarded.
   *
   * @param reader - what has read the body, such as the name of a parser, if known
   * @param fix - a sentence that says what the author of the app can do
   */
  static lost(reader: string | undefined, fix: string): BodyError {
    const by = reader === undefined ? '' : ` by ${reader}`
    const error = new BodyError(400, `The body of the request was read${by} before MCP could read it. ${fix}`)
    return Object.assign(error, { lost: true })
  }

  /** Creates the error for a body whose stream failed, most likely because the client has disconnected. */
  static endedEarly(): BodyError {
    return new BodyError(400, 'The body ended early')
  }
}

/** Calls the listener when the client disconnects, or immediately if the client has already disconnected. */
export function onDisconnect({ signal }: Pick<HttpRequest, 'signal'>, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}
