import type { AuthInfo } from '@jetway/core'
import {
  BodyError,
  type ByteStream,
  onTurn,
  readWebStream,
  readWhole,
  StallLimit,
  watchNodeReply,
} from '@jetway/core/http'
import type {
  AcceptedRequest,
  Endpoint,
  HttpReply,
  HttpRequest,
  NodeRequest,
  NodeResponse,
  StreamedRequest,
  RequestBody,
  Route,
} from '@jetway/core/http'
import type { Context } from 'hono'
import { TOUCHED, type Touched, touched, UNTOUCHED } from './stand-in.ts'

/** The options of the middleware that read Hono's context. */
export interface RequestReaders {
  readonly locals: ((c: Context) => unknown) | undefined
  readonly auth: ((c: Context) => AuthInfo | undefined) | undefined
}

/** Node's own request, which `@hono/node-server` passes along. */
interface Incoming extends ByteStream, NodeRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly rawHeaders: readonly string[]
  readonly httpVersionMajor: number
  readonly socket: NonNullable<HttpRequest['peer']> & NodeRequest['socket']
  readonly readableDidRead: boolean
}

const EMPTY = new Uint8Array()
const KEEP_BODY = 'Read it with c.req.json() or c.req.text(), which keep it, instead of c.req.raw.'

/** A request of Hono, as the endpoint needs it. */
export class ContextRequest implements HttpRequest, StreamedRequest {
  readonly method: string
  readonly route: Route
  readonly context: Context
  readonly #raw: Request
  /** Whether middleware has read the request before. */
  readonly #touched: Touched
  readonly #readers: RequestReaders
  readonly #incoming: Incoming | undefined
  readonly #outgoing: NodeResponse | undefined
  #abort: AbortController | undefined
  #disconnected = false

  constructor(route: Route, c: Context, readers: RequestReaders) {
    this.route = route
    this.context = c
    this.#raw = c.req.raw
    this.method = this.#raw.method
    this.#readers = readers
    const { incoming, outgoing } = (c.env ?? {}) as { incoming?: Incoming; outgoing?: NodeResponse }
    // A Worker may have a binding of this name.
    if (Array.isArray(incoming?.rawHeaders)) {
      this.#incoming = incoming
      this.#outgoing = outgoing
    }
    this.#touched = this.#incoming === undefined ? TOUCHED : touched(this.#raw)
  }

  get path(): string {
    return new URL(this.#raw.url).pathname
  }

  get peer(): HttpRequest['peer'] {
    return this.#incoming?.socket
  }

  get rawHeaders(): readonly string[] | undefined {
    return this.#incoming?.rawHeaders
  }

  get auth(): AuthInfo | undefined {
    return this.#readers.auth?.(this.context)
  }

  get locals(): unknown {
    return this.#readers.locals?.(this.context)
  }

  /** Set by Hono's own middleware `requestId()`. */
  get id(): string | undefined {
    const id: unknown = this.context.get('requestId')
    return typeof id === 'string' ? id : undefined
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController()
      const { signal } = this.#raw
      if (this.#disconnected || signal.aborted) this.#abort.abort()
      else {
        signal.addEventListener('abort', () => this.leave(), { once: true })
        this.atTurn(() => {})
      }
    }
    return this.#abort.signal
  }

  /**
   * Calls the function when the response may be written: on Node it may wait for those
   * before it on its connection.
   */
  atTurn(open: () => void): void {
    if (this.#incoming === undefined || this.#outgoing === undefined) return open()
    onTurn(this.#incoming, this.#outgoing, (connected) => {
      if (!connected) this.leave()
      open()
    })
  }

  get stall(): StallLimit | undefined {
    return this.#outgoing && new StallLimit(this.#outgoing)
  }

  /** Watches the reply, on Node. */
  watch(endpoint: Endpoint, reply: HttpReply): void {
    const [request, response] = [this.#incoming, this.#outgoing]
    if (request !== undefined && response !== undefined)
      watchNodeReply(endpoint, { asked: this, request, response }, reply)
  }

  /** The client has disconnected: some runtimes don't abort the request's own signal. */
  leave(): void {
    this.#disconnected = true
    this.#abort?.abort()
  }

  query(name: string): string | undefined {
    return this.context.req.query(name)
  }

  header(name: string): string | undefined {
    const incoming = this.#incoming
    // HTTP/2 has the host in a pseudo-header: https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1
    const authority = name === 'host' ? incoming?.headers[':authority'] : undefined
    if (typeof authority === 'string') return authority
    // The lookup in `raw.headers` costs as much as the rest of the guard. HTTP/2 has pseudo-headers.
    if (this.#touched === UNTOUCHED && incoming?.httpVersionMajor === 1) {
      const value = incoming.headers[name]
      if (value === undefined || typeof value === 'string') return value
    }
    return this.#raw.headers.get(name) ?? undefined
  }

  /** Node's stream of the body, which saves two copies, unless something has read from it. */
  unread(): ByteStream | undefined {
    const incoming = this.#incoming
    if (incoming === undefined || this.#touched === TOUCHED || this.#raw.bodyUsed) return undefined
    // Some clouds keep the body in `rawBody`.
    if (incoming.readableDidRead || 'rawBody' in incoming || this.#isCached()) return undefined
    const { locals, auth } = this.#readers
    // These have seen the request since.
    const same = (locals === undefined && auth === undefined) || touched(this.#raw) !== TOUCHED
    return same ? incoming : undefined
  }

  /** Reads the body, wherever middleware has left it. */
  body(accepted: AcceptedRequest): Uint8Array | Promise<RequestBody> {
    const raw = this.#raw
    if (this.#isCached()) return this.#cached(accepted.bodyLimit)
    if (raw.bodyUsed) throw BodyError.lost('a middleware', KEEP_BODY)
    const declared = this.header('content-length')
    if (declared !== undefined) return readWhole(raw.arrayBuffer(), Number(declared), accepted)
    return raw.body ? readWebStream(raw.body, accepted) : EMPTY
  }

  #isCached(): boolean {
    return Object.keys(this.context.req.bodyCache).length > 0
  }

  async #cached(limit: number): Promise<RequestBody> {
    const { req } = this.context
    const { json } = req.bodyCache
    if (json !== undefined) return { parsed: await json }
    const bytes = new Uint8Array(await req.arrayBuffer())
    if (bytes.byteLength > limit) throw BodyError.tooLarge(limit)
    return bytes
  }

  waitUntil(work: Promise<unknown>): void {
    try {
      this.context.executionCtx.waitUntil(work)
    } catch {
      // Only runtimes like Workers have an execution context; the others keep running anyway.
    }
  }
}
