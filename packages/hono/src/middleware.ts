import type { AuthInfo, MountHandle } from '@jetway/core'
import {
  BodyError,
  collectStream,
  type routePaths,
  readStream,
  readWebStream,
  duplicateHeader,
  toReadableStream,
} from '@jetway/core/http'
import type {
  ByteStream,
  Route,
  Endpoint,
  EndpointOptions,
  HttpReply,
  HttpRequest,
  Servable,
  ServerSelector,
} from '@jetway/core/http'
import type { Context, MiddlewareHandler, Next } from 'hono'
import { basePath, baseRoutePath, routePath } from 'hono/route'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { TOUCHED, type Touched, touched, UNTOUCHED } from './stand-in.ts'

/** Chooses the server of a request. Undefined is answered 404. */
export type McpSelector<Locals = unknown> = (
  c: Context,
) => Servable<Locals> | undefined | Promise<Servable<Locals> | undefined>

/** What the middleware takes beside the options of an endpoint. */
export interface MiddlewareOptions<Locals> {
  /** What is served, or a function that chooses it: once for each session, or for each request without sessions. */
  readonly server: Servable<Locals> | McpSelector<Locals>
  /**
   * Where the server answers, below the base path of the app that uses the middleware. With `legacySse` it answers at
   * `/sse` and `/message` beside this path too.
   *
   * @default '/mcp', or the path of the route that the middleware is the handler of, as in `app.all('/ai', mcp(…))`
   */
  readonly path?: string
  /** The app's own data for a request, as `ctx.locals`. Called once for a request that has passed the guard. */
  readonly locals?: (c: Context) => NoInfer<Locals>
  /** What the app's own authentication left on the context, as `ctx.auth`. */
  readonly auth?: (c: Context) => AuthInfo | undefined
}

/** What the middleware takes. A server that declares its locals needs the option `locals`. */
export type WithEndpoint<Options, Locals> = Options &
  MiddlewareOptions<Locals> &
  (unknown extends Locals ? unknown : Required<Pick<MiddlewareOptions<Locals>, 'locals'>>)

/** The middleware, and the handle of its mount: watch it, and close it before the runtime's own server. */
export type McpMiddleware = MiddlewareHandler & MountHandle

type Peer = NonNullable<HttpRequest['peer']>

/** What `@hono/node-server` passes along: Node's own request. Other runtimes have none of it. */
interface Incoming extends ByteStream {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly rawHeaders: readonly string[]
  readonly httpVersionMajor: number
  readonly socket?: Peer
  readonly readableDidRead: boolean
}

const DEFAULT_PATH = '/mcp'
const EMPTY = new Uint8Array()

/** How a preset mounts servers. */
export interface Preset {
  createEndpoint(server: Servable | ServerSelector, options: EndpointOptions): Endpoint
  readonly routePaths: typeof routePaths
}

/** Mounts a server with what a preset has. */
export function createMiddleware<Locals>(
  options: EndpointOptions & MiddlewareOptions<Locals>,
  preset: Preset,
): McpMiddleware {
  const { server, path, locals, auth, ...rest } = options
  const routeOf = matcher(path, preset.routePaths(path ?? DEFAULT_PATH, rest.legacySse))
  const endpoint = preset.createEndpoint(neutral(server), rest)
  const host: HostReaders = { locals, auth }
  const probed = prober(endpoint)
  const middleware = (c: Context, next: Next): Response | Promise<Response | void> => {
    const probe = probed(c)
    if (probe !== undefined) return probe
    const route = routeOf(c)
    return route === undefined ? next() : answer(endpoint, route, c, host)
  }
  return Object.assign(middleware as MiddlewareHandler, {
    close: (closing?: { readonly deadline?: number }) => endpoint.close(closing),
    closed: endpoint.closed,
    stats: () => endpoint.stats(),
    [Symbol.asyncDispose]: () => endpoint.close(),
  })
}

/** What is asked of types is asked already: below, a mount is whatever `locals` gives. */
function neutral<Locals>(server: Servable<Locals> | McpSelector<Locals>): Servable | ServerSelector {
  if (typeof server !== 'function') return server as Servable
  return (request) => server((request as ContextRequest).context) as ReturnType<ServerSelector>
}

interface HostReaders {
  readonly locals: ((c: Context) => unknown) | undefined
  readonly auth: ((c: Context) => AuthInfo | undefined) | undefined
}

/** Finds the route of a request: undefined for most requests of an app. */
function matcher(
  wanted: string | undefined,
  paths: ReadonlyMap<string, Route>,
): (c: Context) => Route | undefined {
  const routes = Array.from(paths, ([path, route]) => ({ route, isBelow: below(path) }))
  const own = (c: Context): Route | undefined => {
    const { path } = c.req
    for (const { route, isBelow } of routes) if (isBelow(c, path)) return route
    return undefined
  }
  if (wanted !== undefined) return own
  return (c) => own(c) ?? (routePath(c).endsWith('*') ? undefined : 'mcp')
}

/** Whether a request is for a path, below whatever base. The cheap test comes first. */
function below(path: string): (c: Context, requested: string) => boolean {
  const tail = path === '/' ? '' : path
  return (c, requested) => {
    if (!requested.endsWith(tail)) return false
    const pattern = baseRoutePath(c)
    if (pattern === '/') return requested === (tail || '/')
    const base = /[:*]/.test(pattern) ? basePath(c) : pattern
    return requested === (base.endsWith('/') ? base.slice(0, -1) : base) + tail
  }
}

/** Answers the probes of the mount, and leaves every other request alone. */
function prober(endpoint: Endpoint): (c: Context) => Response | undefined {
  const probes = Array.from(endpoint.probes, ([path, probe]) => ({ probe, answers: below(path) }))
  if (probes.length === 0) return () => undefined
  return (c) => {
    const found = probes.find(({ answers }) => answers(c, c.req.path))
    if (found === undefined) return undefined
    const { body = null, status, headers } = endpoint.probe(found.probe, c.req.method)
    return c.body(body as string, status as ContentfulStatusCode, headers as Record<string, string>)
  }
}

function answer(
  endpoint: Endpoint,
  route: Route,
  c: Context,
  host: HostReaders,
): Response | Promise<Response> {
  const request = new ContextRequest(route, c, host)
  // Who calls is asked before the body is read, and what else sees the request first may want the body too.
  const reads = host.locals === undefined && host.auth === undefined
  const stream = reads ? request.unread() : undefined
  const limit = stream === undefined ? undefined : endpoint.mayRead(request)
  if (stream === undefined || limit === undefined || request.isBeyond(limit))
    return answered(endpoint, c, request)
  // With the body there, the endpoint answers at once what need not wait: two promises in all, where it makes four.
  return new Promise<Uint8Array | BodyError>((resolve) => collectStream(stream, limit, resolve)).then(
    (body) => {
      request.take(body)
      return answered(endpoint, c, request)
    },
  )
}

function answered(endpoint: Endpoint, c: Context, request: ContextRequest): Response | Promise<Response> {
  const reply = endpoint.handle(request)
  return reply instanceof Promise
    ? reply.then((settled) => respond(c, request, settled))
    : respond(c, request, reply)
}

function respond(c: Context, request: ContextRequest, reply: HttpReply): Response {
  const body = reply.open ? toReadableStream(reply, () => request.leave()) : (reply.body ?? null)
  // A record of one header stays a plain object all the way down to Node's writeHead.
  return c.body(body as string, reply.status as ContentfulStatusCode, reply.headers as Record<string, string>)
}

class ContextRequest implements HttpRequest {
  readonly method: string
  readonly route: Route
  readonly context: Context
  readonly #raw: Request
  /** How much of the request somebody has read before. */
  readonly #touched: Touched
  readonly #host: HostReaders
  readonly #incoming: Incoming | undefined
  #abort: AbortController | undefined
  #gone = false
  #locals: { readonly value: unknown } | undefined
  #body: Uint8Array | BodyError | undefined

  constructor(route: Route, c: Context, host: HostReaders) {
    this.route = route
    this.context = c
    this.#raw = c.req.raw
    this.method = this.#raw.method
    this.#host = host
    const incoming = (c.env as { readonly incoming?: Incoming } | undefined)?.incoming
    // A Worker may have a binding of this name.
    this.#incoming = Array.isArray(incoming?.rawHeaders) ? incoming : undefined
    this.#touched = this.#incoming === undefined ? TOUCHED : touched(this.#raw)
  }

  get path(): string {
    return new URL(this.#raw.url).pathname
  }

  get peer(): HttpRequest['peer'] {
    return this.#incoming?.socket
  }

  get auth(): AuthInfo | undefined {
    return this.#host.auth?.(this.context)
  }

  get locals(): unknown {
    return (this.#locals ??= { value: this.#host.locals?.(this.context) }).value
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
    const incoming = this.#incoming
    // The stand-in's own look-up costs as much as the rest of the guard. HTTP/2 has another kind of headers.
    if (this.#touched === UNTOUCHED && incoming?.httpVersionMajor === 1) {
      const value = incoming.headers[name]
      if (value === undefined || typeof value === 'string') return value
    }
    return this.#raw.headers.get(name) ?? undefined
  }

  /** Fetch has joined repeats with a comma, which no header that must stand alone may contain. */
  headers(name: string): readonly string[] {
    const value = this.header(name)
    return value === undefined ? [] : [value]
  }

  duplicateHeader(): string | undefined {
    return this.#incoming && duplicateHeader(this.#incoming.rawHeaders)
  }

  get headJudged(): boolean {
    return this.#body !== undefined
  }

  /** Node's own stream of the body, which saves two copies, where nobody has read of it. Some clouds leave it in `rawBody`. */
  unread(): ByteStream | undefined {
    const incoming = this.#incoming
    if (incoming === undefined || this.#touched === TOUCHED || this.#raw.bodyUsed) return undefined
    if (incoming.readableDidRead || 'rawBody' in incoming || this.#isCached()) return undefined
    const { locals, auth } = this.#host
    // They have seen the request since.
    return (locals === undefined && auth === undefined) || touched(this.#raw) !== TOUCHED
      ? incoming
      : undefined
  }

  isBeyond(limit: number): boolean {
    return Number(this.header('content-length')) > limit
  }

  /** Takes what was read of the body, after the guard has let the head pass. */
  take(body: Uint8Array | BodyError): void {
    this.#body = body
  }

  body(limit: number): Uint8Array | Promise<Uint8Array | { readonly parsed: unknown }> {
    if (this.#body !== undefined)
      return this.#body instanceof BodyError ? Promise.reject(this.#body) : this.#body
    const raw = this.#raw
    if (this.#isCached()) return this.#cached(limit)
    if (raw.bodyUsed)
      return Promise.reject(new BodyError(400, 'The body is gone: read it through c.req, which keeps it'))
    if (this.isBeyond(limit)) return Promise.reject(BodyError.tooLarge(limit))
    const stream = this.unread()
    if (stream !== undefined) return readStream(stream, limit)
    if (this.header('content-length') !== undefined)
      return raw.arrayBuffer().then((buffer) => held(buffer, limit), rejectEnded)
    return raw.body ? readWebStream(raw.body, limit) : EMPTY
  }

  #isCached(): boolean {
    return Object.keys(this.context.req.bodyCache).length > 0
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

function rejectEnded(): never {
  throw BodyError.endedEarly()
}

function held(buffer: ArrayBuffer, limit: number): Uint8Array {
  if (buffer.byteLength > limit) throw BodyError.tooLarge(limit)
  return new Uint8Array(buffer)
}
