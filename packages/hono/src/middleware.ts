import { type AuthInfo, type MountHandle, UsageError } from '@jetway/core'
import {
  answerWith,
  BodyError,
  checkMountOptions,
  type routePaths,
  streamHeaders,
  toReadableStream,
} from '@jetway/core/http'
import type {
  Endpoint,
  EndpointOptions,
  EndpointPlace,
  HttpReply,
  Route,
  Servable,
  ServerSelector,
} from '@jetway/core/http'
import type { OptionNames } from '@jetway/core/protocol'
import type { Context, MiddlewareHandler, Next } from 'hono'
import type { RouterRoute } from 'hono/types'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { missedPath } from './missed-path.ts'
import { ContextRequest, type NodePart, type RequestReaders } from './request.ts'
import { documenter } from './well-known.ts'

/** Chooses the server for a request. If it returns undefined, the request is refused with 404. */
export type McpSelector<Locals = unknown> = (
  c: Context,
) => Servable<Locals> | undefined | Promise<Servable<Locals> | undefined>

/** The options of the middleware itself, without those of its endpoint. */
export interface MiddlewareOptions<Locals> {
  /**
   * The server, or a function that chooses a server for each session (or, without sessions, for each request).
   */
  readonly server: Servable<Locals> | McpSelector<Locals>
  /**
   * The path that the server handles, relative to the base path of the app that uses the middleware. With
   * `legacySse`, the server also handles `/sse` and `/message` in the same directory.
   *
   * @default '/mcp'; in a route handler such as `app.all('/ai', mcp(…))`, the path of the route
   */
  readonly path?: string
  /**
   * Returns the app's own data for a request, available to handlers as `ctx.locals`. Called once, after
   * authentication.
   */
  readonly locals?: (c: Context) => NoInfer<Locals>
  /**
   * Returns the caller that the app has already authenticated, available to handlers as `ctx.auth`. Undefined
   * means an anonymous caller. To authenticate callers in the mount instead, set `authenticate`; the two
   * options exclude each other.
   */
  readonly authInfo?: (c: Context) => AuthInfo | undefined
}

/**
 * The options of the middleware and of its endpoint. `locals` is required if the server declares the type of
 * `ctx.locals`.
 */
export type WithEndpoint<Options, Locals> = Options &
  MiddlewareOptions<Locals> &
  (unknown extends Locals ? unknown : Required<Pick<MiddlewareOptions<Locals>, 'locals'>>)

/** The middleware, which is also the handle of its mount. Close the mount before the runtime's own server. */
export type McpMiddleware = MiddlewareHandler & MountHandle

const OWN_OPTIONS: OptionNames<MiddlewareOptions<unknown>> = { server: 1, path: 1, locals: 1, authInfo: 1 }
const DEFAULT_PATH = '/mcp'

/** The functions from `@jetway/core/http`, or their versions for the edge. */
export interface Preset {
  createEndpoint(server: Servable | ServerSelector, options: EndpointOptions, place: EndpointPlace): Endpoint
  readonly routePaths: typeof routePaths
  readonly node?: NodePart
}

/** Mounts a server by means of a preset's functions. */
export function createMiddleware<Locals>(
  options: EndpointOptions & MiddlewareOptions<Locals>,
  preset: Preset,
): McpMiddleware {
  checkMountOptions(options, OWN_OPTIONS, 'mcp({ server })')
  const { server, path, locals, authInfo, ...rest } = options
  const { routeOf, checkReachable } = matcher(path, preset.routePaths(path ?? DEFAULT_PATH, rest.legacySse))
  const place = { path: path ?? DEFAULT_PATH }
  const endpoint = preset.createEndpoint(neutral(server), rest, place)
  const readers: RequestReaders = { locals, auth: authInfo }
  const probed = prober(endpoint)
  const documented = documenter(endpoint.wellKnown)
  const missed = missedPath(endpoint, path ?? DEFAULT_PATH)
  const middleware = (c: Context, next: Next): Response | Promise<Response | void> => {
    const probe = probed(c)
    if (probe !== undefined) return probe
    const route = routeOf(c)
    if (route === undefined) {
      const document = documented.answer(c)
      if (document !== undefined) return document
      checkReachable(c)
      missed(c)
      return next()
    }
    documented.check(() => currentRoute(c))
    const request = new ContextRequest(route, c, readers, preset.node)
    return read(endpoint, request, endpoint.accept(request))
  }
  Object.defineProperty(middleware, 'routes', { get: refuseRoute })
  return Object.assign(middleware as MiddlewareHandler, {
    close: (closing?: { readonly deadline?: number }) => endpoint.close(closing),
    closed: endpoint.closed,
    stats: () => endpoint.stats(),
    [Symbol.asyncDispose]: () => endpoint.close(),
  })
}

/** `app.route` reads the routes of an app, but the middleware is not an app. */
function refuseRoute(): never {
  const problem =
    'app.route takes a Hono app, and mcp({ server }) is middleware: use app.all(path, mcp({ server }))'
  throw new UsageError('ERR_MCP_OPTION', problem)
}

/** Drops the type of `locals`, which the signature of `mcp` has already checked. */
function neutral<Locals>(server: Servable<Locals> | McpSelector<Locals>): Servable | ServerSelector {
  if (typeof server !== 'function') return server as Servable
  return (request) => server((request as ContextRequest).context) as ReturnType<ServerSelector>
}

interface Matcher {
  /** Finds the route for a request. Returns undefined for most of the requests to an app. */
  readonly routeOf: (c: Context) => Route | undefined
  /** @throws `ERR_MCP_OPTION` if a request arrives on a Hono route that can never match any of the mount's paths */
  readonly checkReachable: (c: Context) => void
}

function matcher(wanted: string | undefined, paths: ReadonlyMap<string, Route>): Matcher {
  const routes = Array.from(paths, ([path, route]) => ({ route, isBelow: below(path) }))
  const own = (c: Context, path = c.req.path): Route | undefined => {
    for (const { route, isBelow } of routes) if (isBelow(c, path)) return route
    return undefined
  }
  if (wanted === undefined)
    return {
      routeOf: (c) => own(c) ?? (currentRoute(c)?.path.endsWith('*') === false ? 'mcp' : undefined),
      checkReachable: () => {},
    }
  let checked = false
  const checkReachable = (c: Context): void => {
    const at = currentRoute(c)?.path
    if (!checked && at !== undefined && !/[*:]/.test(at) && own(c, at) === undefined) {
      const problem = `mcp({ path: ${JSON.stringify(wanted)} }) never answers at the route ${at}: omit path there, or mount it with app.use`
      throw new UsageError('ERR_MCP_OPTION', problem)
    }
    checked = true
  }
  return { routeOf: own, checkReachable }
}

/**
 * Returns the route that is running. The helpers in `hono/route` work only with contexts from the same copy
 * of Hono.
 */
const currentRoute = (c: Context): RouterRoute | undefined => c.req.matchedRoutes[c.req.routeIndex]

/**
 * Returns a function that checks whether a request is for the given path below any base path. The cheap check
 * comes first.
 */
function below(path: string): (c: Context, requested: string) => boolean {
  const tail = path === '/' ? '' : path
  return (c, requested) => {
    if (!requested.endsWith(tail)) return false
    const { basePath = '/' } = currentRoute(c) ?? {}
    const pattern = basePath.endsWith('/') ? basePath.slice(0, -1) : basePath
    if (pattern === '') return requested === (tail || '/')
    if (!/[:*]/.test(pattern)) return requested === pattern + tail
    // Hono has already matched the pattern against the beginning of the path, so compare only the number of
    // segments.
    const base = requested.slice(0, requested.length - tail.length)
    return segmentsOf(base) === segmentsOf(pattern)
  }
}

const segmentsOf = (path: string): number => path.split('/').length

/** Returns a function that responds to the mount's health probes, and returns undefined for other requests. */
function prober(endpoint: Endpoint): (c: Context) => Response | undefined {
  const probes = Array.from(endpoint.probes, ([path, probe]) => ({ probe, answers: below(path) }))
  if (probes.length === 0) return () => undefined
  return (c) => {
    const found = probes.find(({ answers }) => answers(c, c.req.path))
    if (found === undefined) return undefined
    const { body = null, status, headers } = endpoint.probe(found.probe, c.req.method)
    return c.body(body as string, status as ContentfulStatusCode, { ...headers })
  }
}

function read(
  endpoint: Endpoint,
  request: ContextRequest,
  accepted: ReturnType<Endpoint['accept']>,
): Response | Promise<Response> {
  if (accepted instanceof Promise) return accepted.then((settled) => read(endpoint, request, settled))
  if ('status' in accepted) return respond(endpoint, request, accepted)
  const stream = request.unread()
  const { node } = request
  if (stream === undefined || node === undefined)
    return respond(
      endpoint,
      request,
      answerWith(accepted, () => request.body(accepted)),
    )
  const encoded = BodyError.encoded(request.header('content-encoding'))
  if (encoded !== undefined) return respond(endpoint, request, accepted.answer(encoded))
  // Calling `then` preserves the context of the app's AsyncLocalStorage, which stream events would lose.
  return new Promise<Uint8Array | BodyError>((resolve) => node.collectStream(stream, accepted, resolve)).then(
    (body) => respond(endpoint, request, accepted.answer(body)),
  )
}

function respond(
  endpoint: Endpoint,
  request: ContextRequest,
  reply: HttpReply | Promise<HttpReply>,
): Response | Promise<Response> {
  if (reply instanceof Promise) return reply.then((settled) => respond(endpoint, request, settled))
  const { context } = request
  // A timeout in the app has already sent a reply.
  if (context.finalized) {
    request.leave()
    endpoint.discard(reply)
    return context.res
  }
  request.connection?.watch(endpoint, request, reply)
  // The headers are a plain object, because they stay a plain object all the way to Node's `writeHead`. They are
  // copied, because version 1 of @hono/node-server adds Content-Length to the object.
  const headers = reply.open ? streamHeaders(reply.headers) : { ...reply.headers }
  const body = reply.open ? toReadableStream(reply, request) : (reply.body ?? null)
  return context.body(body as string, reply.status as ContentfulStatusCode, headers)
}
