import type { AuthInfo, Closable, McpServer } from '@jetway/core'
import { BodyError, createEndpoint, repeatedHeader } from '@jetway/core/http'
import type {
  Endpoint,
  EndpointOptions,
  FrameSink,
  HttpReply,
  HttpRequest,
  Servable,
  ServerSelector,
} from '@jetway/core/http'
import type { Context, MiddlewareHandler, Next } from 'hono'
import { basePath, baseRoutePath, routePath } from 'hono/route'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Chooses the server of a request. Undefined is answered 404. */
export type McpSelector<Mount = unknown, App = unknown> = (
  c: Context,
) => McpServer<Mount, App> | undefined | Promise<McpServer<Mount, App> | undefined>

interface MountOptions<Mount, App> extends EndpointOptions {
  /** What is served, or a function that chooses it: once for each session, or for each request without sessions. */
  readonly server: McpServer<Mount, App> | McpSelector<Mount, App>
  /**
   * Where the server answers, below the base path of the app that uses the middleware.
   *
   * @default '/mcp', or the path of the route that the middleware is the handler of, as in `app.all('/ai', mcp(…))`
   */
  readonly path?: string
  /** The app's own context of a request, as `ctx.mount`. Called once for a request that has passed the guard. */
  readonly context?: (c: Context) => NoInfer<Mount>
  /** What the app's own authentication left on the context, as `ctx.auth`. */
  readonly auth?: (c: Context) => AuthInfo | undefined
}

/** Where the server answers, and everything that an endpoint takes. A server that declares its context needs one. */
export type McpMiddlewareOptions<Mount = unknown, App = unknown> = MountOptions<Mount, App> &
  (unknown extends Mount ? unknown : Required<Pick<MountOptions<Mount, App>, 'context'>>)

/** The middleware, and the handle of its mount: close it before the runtime's own server. */
export type McpMiddleware = MiddlewareHandler & Closable & AsyncDisposable

type Peer = NonNullable<HttpRequest['peer']>
type StreamReply = Extract<HttpReply, { readonly open: unknown }>

/** What `@hono/node-server` passes along: Node's own request. Other runtimes have none of it. */
interface Incoming {
  readonly rawHeaders: readonly string[]
  readonly socket?: Peer
  readonly readableDidRead: boolean
  readonly destroyed: boolean
  on(event: 'data', listener: (chunk: Uint8Array) => void): void
  on(event: 'end' | 'close', listener: () => void): void
  off(event: string, listener: (chunk: Uint8Array) => void): void
  resume(): void
}

const DEFAULT_PATH = '/mcp'
/** How far a peer may be behind, in bytes, before writers are asked to wait. */
const HIGH_WATER_MARK = 16 * 1024
const EMPTY = new Uint8Array()

/**
 * Mounts an MCP server on Hono: `app.use(mcp({ server, path: '/mcp' }))`.
 *
 * It answers its own path, below any base path, and calls `next()` for all others. Replies go through Hono's context,
 * so headers that middleware has set before (CORS, a request id) are kept, on streams too.
 */
export function mcp<Mount = unknown, App = unknown>(
  options: McpMiddlewareOptions<Mount, App>,
): McpMiddleware {
  const { server, path, context, auth, ...rest }: MountOptions<Mount, App> = options
  const endpoint: Endpoint = createEndpoint(neutral(server), rest)
  const host: HostReaders = { context, auth }
  const answers = matcher(path)
  const middleware = (c: Context, next: Next): Response | Promise<Response | void> =>
    answers(c) ? answer(endpoint, c, host) : next()
  return Object.assign(middleware as MiddlewareHandler, {
    close: (closing?: { readonly deadline?: number }) => endpoint.close(closing),
    closed: endpoint.closed,
    [Symbol.asyncDispose]: () => endpoint.close(),
  })
}

/** What is asked of types is asked already: below, a mount is whatever `context` gives. */
function neutral<Mount, App>(
  server: McpServer<Mount, App> | McpSelector<Mount, App>,
): Servable | ServerSelector {
  if (typeof server !== 'function') return server as Servable
  return (request) => server((request as ContextRequest).context) as ReturnType<ServerSelector>
}

interface HostReaders {
  readonly context: ((c: Context) => unknown) | undefined
  readonly auth: ((c: Context) => AuthInfo | undefined) | undefined
}

/** Whether a request is for this mount. Most requests of an app are not: the cheap test comes first. */
function matcher(wanted: string | undefined): (c: Context) => boolean {
  const path = wanted ?? DEFAULT_PATH
  const tail = path === '/' ? '' : path.startsWith('/') ? path : `/${path}`
  const isBelow = (c: Context, requested: string): boolean => {
    if (!requested.endsWith(tail)) return false
    const pattern = baseRoutePath(c)
    if (pattern === '/') return requested === (tail || '/')
    const base = /[:*]/.test(pattern) ? basePath(c) : pattern
    return requested === (base.endsWith('/') ? base.slice(0, -1) : base) + tail
  }
  if (wanted !== undefined) return (c) => isBelow(c, c.req.path)
  return (c) => isBelow(c, c.req.path) || !routePath(c).endsWith('*')
}

function answer(endpoint: Endpoint, c: Context, host: HostReaders): Response | Promise<Response> {
  const request = new ContextRequest(c, host)
  const reply = endpoint.handle(request)
  return reply instanceof Promise
    ? reply.then((settled) => respond(c, request, settled))
    : respond(c, request, reply)
}

function respond(c: Context, request: ContextRequest, reply: HttpReply): Response {
  const body = reply.open ? new ReadableSink(request, reply).stream : (reply.body ?? null)
  // A record of one header stays a plain object all the way down to Node's writeHead.
  return c.body(body as string, reply.status as ContentfulStatusCode, reply.headers as Record<string, string>)
}

class ContextRequest implements HttpRequest {
  readonly method: string
  readonly context: Context
  readonly #raw: Request
  readonly #headers: Headers
  readonly #host: HostReaders
  readonly #incoming: Incoming | undefined
  #abort: AbortController | undefined
  #gone = false
  #mount: { readonly value: unknown } | undefined

  constructor(c: Context, host: HostReaders) {
    this.context = c
    this.#raw = c.req.raw
    this.#headers = this.#raw.headers
    this.method = this.#raw.method
    this.#host = host
    const incoming = (c.env as { readonly incoming?: Incoming } | undefined)?.incoming
    // A Worker may have a binding of this name.
    this.#incoming = Array.isArray(incoming?.rawHeaders) ? incoming : undefined
  }

  get door(): 'mcp' {
    return 'mcp'
  }

  get peer(): HttpRequest['peer'] {
    return this.#incoming?.socket
  }

  get auth(): AuthInfo | undefined {
    return this.#host.auth?.(this.context)
  }

  get mount(): unknown {
    return (this.#mount ??= { value: this.#host.context?.(this.context) }).value
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController()
      const { signal } = this.#raw
      if (this.#gone || signal.aborted) this.#abort.abort()
      else signal.addEventListener('abort', () => this.leave(), { once: true })
    }
    return this.#abort.signal
  }

  /** The peer has gone: not every runtime says so through the request's own signal. */
  leave(): void {
    this.#gone = true
    this.#abort?.abort()
  }

  query(name: string): string | undefined {
    return this.context.req.query(name)
  }

  header(name: string): string | undefined {
    return this.#headers.get(name) ?? undefined
  }

  /** Fetch has joined repeats with a comma, which no header that must stand alone may contain. */
  headers(name: string): readonly string[] {
    const value = this.header(name)
    return value === undefined ? [] : [value]
  }

  repeated(): string | undefined {
    return this.#incoming && repeatedHeader(this.#incoming.rawHeaders)
  }

  body(limit: number): Uint8Array | Promise<Uint8Array | { readonly parsed: unknown }> {
    const { req } = this.context
    const raw = this.#raw
    if (Object.keys(req.bodyCache).length > 0) return this.#cached(limit)
    if (raw.bodyUsed)
      return Promise.reject(new BodyError(400, 'The body is gone: read it through c.req, which keeps it'))
    const length = this.#headers.get('content-length')
    const declared = length === null ? undefined : Number(length)
    if (declared !== undefined && declared > limit) return Promise.reject(tooLarge(limit))
    if (this.#incoming && isUntouched(raw, this.#incoming)) return readIncoming(this.#incoming, limit)
    if (declared !== undefined) return raw.arrayBuffer().then((buffer) => held(buffer, limit), ended)
    return raw.body ? readCounting(raw.body, limit) : EMPTY
  }

  /** What a middleware has read before stays readable through Hono's request. */
  async #cached(limit: number): Promise<Uint8Array | { readonly parsed: unknown }> {
    const { req } = this.context
    const { json } = req.bodyCache
    if (json !== undefined) return { parsed: await json }
    return held(await req.arrayBuffer(), limit)
  }

  waitUntil(work: Promise<unknown>): void {
    try {
      this.context.executionCtx.waitUntil(work)
    } catch {
      // Only Workers-like runtimes have such a context; the others keep running anyway.
    }
  }
}

const tooLarge = (limit: number): BodyError => new BodyError(413, `The body is larger than ${limit} bytes`)

function ended(): never {
  throw new BodyError(400, 'The body ended early')
}

function held(buffer: ArrayBuffer, limit: number): Uint8Array {
  if (buffer.byteLength > limit) throw tooLarge(limit)
  return new Uint8Array(buffer)
}

/** Node's request, the method, the address and the headers: what the stand-in below holds while nobody has read it. */
const UNREAD_PROPERTIES = 4

/**
 * Whether the body can be read from Node's own stream, which saves two copies. `@hono/node-server` passes a stand-in
 * that turns into a real Request, and takes the stream for it, once someone wants more than its head: a clone, the
 * body, the signal. A middleware that replaces `c.req.raw` builds a real Request too, and `rawBody` is where some
 * clouds leave a body that they have read.
 */
function isUntouched(raw: Request, incoming: Incoming): boolean {
  return (
    Object.getPrototypeOf(raw) !== Request.prototype &&
    Object.getOwnPropertySymbols(raw).length <= UNREAD_PROPERTIES &&
    !incoming.readableDidRead &&
    !('rawBody' in incoming)
  )
}

/** Waits for the stream's end: a reply that leaves before it has `@hono/node-server` set a timer to drain the rest. */
function readIncoming(incoming: Incoming, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const onData = (chunk: Uint8Array): void => {
      size += chunk.byteLength
      chunks.push(chunk)
      if (size > limit) settle(tooLarge(limit))
    }
    const onEnd = (): void => settle()
    // Node closes a request that fails, and throws no error that nobody listens for.
    const onClose = (): void => settle(new BodyError(400, 'The body ended early'))
    const settle = (error?: BodyError): void => {
      incoming.off('data', onData)
      incoming.off('end', onEnd)
      incoming.off('close', onClose)
      incoming.resume()
      if (error) reject(error)
      else resolve(joined(chunks, size))
    }
    if (incoming.destroyed) return onClose()
    incoming.on('data', onData)
    incoming.on('end', onEnd)
    incoming.on('close', onClose)
  })
}

/** Of a body without a declared length no more is read than the limit allows. */
async function readCounting(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(ended)
    if (done) break
    size += value.byteLength
    if (size > limit) {
      void reader.cancel().catch(() => {})
      throw tooLarge(limit)
    }
    chunks.push(value)
  }
  return joined(chunks, size)
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

const encoder = new TextEncoder()

/** A stream that asks its writers to wait while the runtime has not taken what is queued. */
class ReadableSink implements FrameSink {
  readonly stream: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #drained: Promise<void> | undefined
  #resume: (() => void) | undefined

  constructor(request: ContextRequest, reply: StreamReply) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          reply.open(this)
        },
        pull: () => this.#release(),
        cancel: () => {
          this.#controller = undefined
          request.leave()
          this.#release()
        },
      },
      { highWaterMark: HIGH_WATER_MARK, size: (chunk) => chunk.byteLength },
    )
  }

  write(chunk: string): void | Promise<void> {
    const controller = this.#controller
    if (!controller) return
    controller.enqueue(encoder.encode(chunk))
    if ((controller.desiredSize ?? 1) > 0) return
    return (this.#drained ??= new Promise((resolve) => {
      this.#resume = resolve
    }))
  }

  close(): void {
    this.#controller?.close()
    this.#controller = undefined
    this.#release()
  }

  #release(): void {
    this.#resume?.()
    this.#resume = this.#drained = undefined
  }
}
