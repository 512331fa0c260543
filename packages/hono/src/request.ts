import type { IncomingMessage } from 'node:http'
import type { AuthInfo } from '@jetway/core'
import { BodyError, readWebStream, WebRequest } from '@jetway/core/http'
import type { AcceptedRequest, HttpRequest, RequestBody, Route } from '@jetway/core/http'
import type { collectStream, nodeConnection, NodeConnection } from '@jetway/node/connection'
import type { Context } from 'hono'
import { TOUCHED, type Touched, touched, UNTOUCHED } from './stand-in.ts'

/** The middleware's options that read a Hono context. */
export interface RequestReaders {
  readonly locals: ((c: Context) => unknown) | undefined
  readonly auth: ((c: Context) => AuthInfo | undefined) | undefined
}

/** The functions that read the connection and the body on Node.js, for presets that may run there. */
export interface NodePart {
  readonly collectStream: typeof collectStream
  readonly connection: typeof nodeConnection
}

const EMPTY = new Uint8Array()
const encoder = new TextEncoder()
const KEEP_BODY = 'Read it with c.req.json() or c.req.text(), which keep it, instead of c.req.raw.'

/** A Hono request in the form that the endpoint requires. */
export class ContextRequest extends WebRequest implements HttpRequest {
  readonly method: string
  readonly route: Route
  readonly context: Context
  readonly node: NodePart | undefined
  readonly #raw: Request
  /** Records what middleware has already read from the request. */
  readonly #touched: Touched
  readonly #readers: RequestReaders
  readonly #incoming: IncomingMessage | undefined

  constructor(route: Route, c: Context, readers: RequestReaders, node: NodePart | undefined) {
    const { raw } = c.req
    const connection: NodeConnection | undefined = node?.connection(raw, [c.env])
    super(raw, connection)
    this.route = route
    this.context = c
    this.node = node
    this.#raw = raw
    this.method = raw.method
    this.#readers = readers
    this.#incoming = connection?.request
    this.#touched = connection === undefined ? TOUCHED : touched(raw)
  }

  get path(): string {
    return new URL(this.#raw.url).pathname
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

  query(name: string): string | undefined {
    return this.context.req.query(name)
  }

  header(name: string): string | undefined {
    const incoming = this.#incoming
    const authority = name === 'host' ? this.connection?.authority : undefined
    if (authority !== undefined) return authority
    // A lookup in `raw.headers` costs as much as the rest of the guard. HTTP/2 requests are excluded, because they
    // have pseudo-headers.
    if (this.#touched === UNTOUCHED && incoming?.httpVersionMajor === 1) {
      const value = incoming.headers[name]
      if (value === undefined || typeof value === 'string') return value
    }
    return this.#raw.headers.get(name) ?? undefined
  }

  /**
   * Returns Node's stream of the body, which avoids copying the body twice. Returns undefined if something
   * has already read from the stream.
   */
  unread(): IncomingMessage | undefined {
    const incoming = this.#incoming
    if (incoming === undefined || this.#touched === TOUCHED || this.#raw.bodyUsed) return undefined
    // Some cloud platforms keep the body in `rawBody`.
    if (incoming.readableDidRead || 'rawBody' in incoming || this.#isCached()) return undefined
    const { locals, auth } = this.#readers
    // The functions `locals` and `auth` have received the request, and may have read from it.
    const same = (locals === undefined && auth === undefined) || touched(this.#raw) !== TOUCHED
    return same ? incoming : undefined
  }

  /** Reads the body from wherever middleware has put it. */
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
    if (json !== undefined) {
      const parsed: unknown = await json
      // The endpoint has already checked a declared length. A chunked body has none, so its size is computed from
      // the parsed value.
      const isDeclared = this.header('content-length') !== undefined
      if (!isDeclared && sizeOf(parsed) > limit) throw BodyError.tooLarge(limit)
      return { parsed }
    }
    const bytes = new Uint8Array(await req.arrayBuffer())
    if (bytes.byteLength > limit) throw BodyError.tooLarge(limit)
    return bytes
  }

  waitUntil(work: Promise<unknown>): void {
    try {
      this.context.executionCtx.waitUntil(work)
    } catch {
      // Only runtimes like Workers have an execution context. Other runtimes keep running in any case.
    }
  }
}

/** Returns the size of a value in JSON, in bytes. */
const sizeOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).byteLength

/**
 * Applies the limits to a body that the host can only read as a whole.
 *
 * @param declared - the length of the body in bytes, as declared by the client
 * @throws BodyError as a rejection: 413, 408 or 503 if a limit is exceeded, 400 if the body ends early
 */
export function readWhole(
  body: Promise<ArrayBuffer>,
  declared: number,
  { bodyLimit, reading }: Pick<AcceptedRequest, 'bodyLimit' | 'reading'>,
): Promise<Uint8Array> {
  const excess = reading.add(declared)
  return new Promise<Uint8Array>((resolve, reject) => {
    reading.begin(reject)
    if (excess !== undefined) reject(excess)
    body.then(
      (whole) => {
        if (whole.byteLength > bodyLimit) reject(BodyError.tooLarge(bodyLimit))
        else resolve(new Uint8Array(whole))
      },
      () => reject(BodyError.endedEarly()),
    )
  }).finally(() => reading.end())
}
