import type { AuthInfo } from '../stores/principal.ts'
import type { Logger } from '../util/logger.ts'

/** Which of a mount's paths was requested. */
export type Route = 'mcp' | 'sse' | 'message'

/**
 * The head of a request. An adapter passes on every request for its paths, whatever the method, and
 * decides nothing: no status, no media type, no Origin. The contract suite of `@jetway/testing/adapter`
 * tests what an adapter must do.
 */
export interface HttpRequest {
  /** In upper case, as sent: HEAD and OPTIONS too. */
  readonly method: string
  readonly route: Route
  /**
   * The path as sent, without the query. Used by the route `sse`, to put the prefix
   * of the path before `/message`.
   */
  readonly path?: string | undefined
  /** The first value of a query parameter, decoded. */
  query(name: string): string | undefined
  /**
   * The value of a header, by its lower-case name. A repeated header gives its first
   * value, or all of them joined.
   */
  header(name: string): string | undefined
  /**
   * Names and values in turn, as in Node's `rawHeaders`. The guard finds repeated headers here: a proxy in
   * front may have read the other value. Leave it out where the runtime joins repeated headers; joined
   * values are refused as malformed.
   */
  readonly rawHeaders?: readonly string[] | undefined
  /**
   * The socket's own addresses, not those of a Forwarded header. A loopback address accepts loopback Hosts
   * only, which stops DNS rebinding. Leave it out where the runtime does not know it.
   */
  readonly peer?:
    | { readonly localAddress?: string | undefined; readonly remoteAddress?: string | undefined }
    | undefined
  /** The result of the host's own authentication, if there is one. */
  readonly auth?: AuthInfo | undefined
  /** The result of the mount's `locals` option. Read once, after authentication; it may throw. */
  readonly locals?: unknown
  /**
   * The host's logger for this request, if it has one and the mount's option `logger` is not set. Lines about
   * the request and its calls go to it.
   */
  readonly logger?: Logger | undefined
  /** The host's id of the request. It is added to those lines, as `reqId`, where `logger` is undefined. */
  readonly id?: string | number | undefined
  /**
   * Aborts when the client disconnects before the reply is complete. Only streams read it, so
   * create it lazily: an AbortController costs as much as a small call. After a disconnect, a new
   * one must be aborted already.
   */
  readonly signal: AbortSignal
  /** Keeps a runtime that stops between requests alive until the work is done. */
  waitUntil?(work: Promise<unknown>): void
}

/** A body: its bytes, or the value that the host has parsed. */
export type RequestBody = Uint8Array | { readonly parsed: unknown }

/** The reading of one body. Functions that read a stream report to it. */
export interface BodyReading {
  /**
   * The reading begins.
   *
   * @param stop - called if the body takes too long; the reading has ended then
   */
  begin(stop: (error: BodyError) => void): void
  /** Counts bytes that have come. An error if the mount holds too many: stop reading. */
  add(bytes: number): BodyError | undefined
  /** The body is complete, or nobody reads on. Safe to call again. */
  end(): void
}

/** A request whose head has passed the guard and authentication, and which needs its body. */
export interface AcceptedRequest {
  /** Read no more bytes than this. */
  readonly bodyLimit: number
  /**
   * Limits the time of the reading, and the bytes of all bodies of the mount, for
   * functions such as `readWebStream`.
   */
  readonly reading: BodyReading
  /**
   * Answers the request. Call it once. Never throws and never rejects.
   *
   * @param body - or the error that reading it threw: a {@link BodyError} gives its
   *   own status, other errors 500
   */
  answer(body: RequestBody | Error): HttpReply | Promise<HttpReply>
}

/** The status and the headers of a reply. An adapter adds them to the headers that its host has set. */
export interface HttpHead {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A whole body or a stream. Replies may be shared, frozen objects: do not change them. An adapter sends the
 * head at once, before the first chunk of a stream, and calls `open` exactly once, even if the client has
 * disconnected. It encodes text as UTF-8, and sends no body in reply to HEAD.
 */
export type HttpReply =
  | (HttpHead & { readonly body?: string | Uint8Array<ArrayBuffer>; readonly open?: never })
  | (HttpHead & { readonly open: (sink: FrameSink) => void; readonly body?: never })

export type Reply = HttpReply | Promise<HttpReply>

/** The limits of an endpoint that apply after it has replied. */
export interface ReplyLimits {
  /**
   * Counts the bytes of a reply in `stats().queuedBytes`, for `limits.queuedBytes`, until the returned function is
   * called: an adapter knows how long its host takes to send them. The stats of the server have them too, unless a
   * selector chose it for this request alone. Replies below {@link LARGE_REPLY} need no count.
   *
   * @param shorten - called once if too many replies wait: a client that reads nothing should get less time
   */
  hold(request: HttpRequest, bytes: number, shorten?: () => void): () => void
  /**
   * Limits the time of a request whose body nobody reads, as that of a body. The
   * returned function clears the limit.
   *
   * @param stop - called after `limits.bodyTimeoutMs`
   */
  limitRest(stop: () => void): () => void
}

/** In bytes. Smaller replies fit into the buffers of a socket. */
export const LARGE_REPLY = 65_536

/** The writable side of a stream, from the adapter. */
export interface FrameSink {
  /**
   * Sends one chunk of text at once. Returns a promise only while the client reads too slowly;
   * it resolves when the client has caught up or disconnected. Never throws or rejects; after
   * a disconnect it does nothing.
   */
  write(chunk: string): void | Promise<void>
  /** Ends the stream. Called once, also after a disconnect. */
  close(): void
}

/**
 * Why a body could not be read: 413 if it exceeds the limit, 408 and 503 beyond the limits of the reading,
 * 415 if it is compressed, 400 otherwise.
 */
export class BodyError extends Error {
  readonly status: 400 | 408 | 413 | 415 | 503
  /** Whether the app has read the body before: the client and the log get the message. */
  readonly lost: boolean = false

  constructor(status: 400 | 408 | 413 | 415 | 503, message: string) {
    super(message)
    this.name = 'BodyError'
    this.status = status
  }

  /** The body exceeds the limit, in bytes. */
  static tooLarge(limit: number): BodyError {
    return new BodyError(413, `The body is larger than ${limit} bytes`)
  }

  /**
   * The body has a coding, such as gzip. For adapters that read the bytes of the client: middleware that
   * decompresses a body may leave its header.
   *
   * @param coding - the header Content-Encoding
   * @returns undefined without a coding
   */
  static encoded(coding: string | undefined): BodyError | undefined {
    if (coding === undefined || /^(identity)?$/i.test(coding.trim())) return undefined
    return new BodyError(415, 'The body has a Content-Encoding')
  }

  /** The body was not complete in time. */
  static tooSlow(ms: number): BodyError {
    return new BodyError(408, `The body was not complete in ${ms} ms`)
  }

  /** The mount holds too many bytes of bodies that are not complete. */
  static tooMany(): BodyError {
    return new BodyError(503, 'Too many bodies are being read')
  }

  /**
   * The app has read the body before, and has not kept it.
   *
   * @param reader - who has read it, such as the name of a parser, if it is known
   * @param fix - what the author of the app can do, as a sentence
   */
  static lost(reader: string | undefined, fix: string): BodyError {
    const by = reader === undefined ? '' : ` by ${reader}`
    const error = new BodyError(400, `The body of the request was read${by} before MCP could read it. ${fix}`)
    return Object.assign(error, { lost: true })
  }

  /** The stream of the body failed, most likely because the client has disconnected. */
  static endedEarly(): BodyError {
    return new BodyError(400, 'The body ended early')
  }
}

/** Calls the listener when the client disconnects; at once if it already has. */
export function onDisconnect({ signal }: Pick<HttpRequest, 'signal'>, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}
