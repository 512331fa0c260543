import type { WorkHost } from '../call/wait-until.ts'
import type { OptionNames } from '../util/check-options.ts'
import type { MountHandle } from '../session/server-runtime.ts'
import { type Endpoint, ALL_PARTS, mountEndpoint } from './endpoint.ts'
import type { EndpointOptions } from './options.ts'
import { slashed } from './sse-paths.ts'
import { checkServer } from './mount-options.ts'
import type { EndpointParts, SessionsPart } from './parts.ts'
import { readWebStream } from './adapter/read-body.ts'
import type { Servable, ServerSelector } from './servers/served-servers.ts'
import { type AcceptedRequest, BodyError, type Route, type HttpReply, type HttpRequest } from './types.ts'
import { streamHeaders, toReadableStream } from './adapter/readable-stream.ts'
import { type WebConnection, WebRequest } from './adapter/web-request.ts'

/** The options of {@link toFetch} that an endpoint does not have. */
export interface FetchMountOptions<Locals> {
  /**
   * The full path that the server handles, for hosts that cannot route. Requests to other paths are refused
   * with 404. With `legacySse`, the server also handles `/sse` and `/message` in the same directory.
   *
   * @default every path
   */
  readonly path?: string
  /**
   * Returns the app's own data for a request, which handlers read as `ctx.locals`. Called once, after the
   * guard has accepted the request.
   *
   * @param environment - the other arguments that the runtime passes to `fetch`, such as the bindings and
   * `ctx` in Workers
   */
  locals?(request: Request, ...environment: readonly unknown[]): NoInfer<Locals>
  /**
   * Returns a request's connection, if the host provides it. On Node, set this option to `nodeConnection`
   * from `@jetway/node/connection`. The mount then checks the Host header against the socket's address, and
   * limits the memory used for clients that pipeline requests or do not read their replies.
   */
  readonly connection?: (request: Request, environment: readonly unknown[]) => WebConnection | undefined
}

/**
 * The options of `toFetch` and of its endpoint. `locals` is required if the server declares the type of
 * `ctx.locals`.
 */
export type FetchOptions<Locals = unknown> = WithLocals<EndpointOptions, Locals>

export type WithLocals<Options, Locals> = Options &
  FetchMountOptions<Locals> &
  (unknown extends Locals ? unknown : Required<Pick<FetchMountOptions<Locals>, 'locals'>>)

/** Chooses the server for a request: see {@link ServerSelector}. */
export type FetchSelector<Locals = unknown> = (
  request: Request,
) => Servable<Locals> | undefined | Promise<Servable<Locals> | undefined>

/** Handles web requests. Close the handler like any other mount. */
export interface FetchHandler extends MountHandle {
  /**
   * @param environment - the other arguments that the runtime passes to `fetch`. They are passed on to the
   * `locals` option. If one of them has a `waitUntil` method, like `ctx` in Workers, that method is used.
   */
  (request: Request, ...environment: readonly unknown[]): Promise<Response>
}

/**
 * Makes a server available to runtimes and routers that use web `Request` and `Response`, such as Workers,
 * Deno and Bun. Route only MCP requests to the returned handler, or set `path`. Otherwise, every path is the
 * MCP path, except paths that end like the `legacySse` paths. The paths in the `health` option are full
 * paths.
 *
 * @throws the errors of {@link createEndpoint}
 */
export function toFetch<Locals = unknown>(
  server: Servable<Locals> | FetchSelector<Locals>,
  ...[options]: unknown extends Locals
    ? [options?: FetchOptions<NoInfer<Locals>>]
    : [options: FetchOptions<NoInfer<Locals>>]
): FetchHandler {
  return serveFetch(server, options ?? {}, ALL_PARTS)
}

/** Creates a handler like {@link toFetch}, but with the parts of a preset. */
export function serveFetch<Locals>(
  server: Servable<Locals> | FetchSelector<Locals>,
  given: EndpointOptions & FetchMountOptions<Locals>,
  parts: EndpointParts,
): FetchHandler {
  checkServer(server, 'toFetch(server, options)')
  parts.checkOptions?.(given, OWN_OPTIONS)
  const endpoint: Endpoint = mountEndpoint(neutral(server), given, parts, { path: given.path })
  const routeOf = createRouter(given, parts.sessions)
  const missed = `Not found. The MCP endpoint is ${slashed(given.path ?? '')}\n`
  const handler = async (request: Request, ...environment: readonly unknown[]): Promise<Response> => {
    const route = routeOf(request)
    const exchange = new FetchRequest(request, route ?? 'mcp', given, environment)
    const probe = endpoint.probes.size === 0 ? undefined : endpoint.probes.get(pathOf(request))
    if (probe !== undefined) return toResponse(endpoint.probe(probe, request.method), exchange)
    const document = endpoint.wellKnown?.answer(exchange)
    if (document !== undefined) return toResponse(document, exchange)
    if (route === undefined) return new Response(missed, { status: 404 })
    const read = (accepted: AcceptedRequest): Uint8Array | Promise<Uint8Array> => {
      if (request.body === null) return EMPTY
      if (request.bodyUsed || request.body.locked) throw BodyError.lost(undefined, KEEP_BODY)
      return readWebStream(request.body, accepted)
    }
    const reply = await endpoint.handle(exchange, read)
    exchange.connection?.watch(endpoint, exchange, reply)
    return toResponse(reply, exchange)
  }
  return Object.assign(handler, {
    close: (how?: { readonly deadline?: number }) => endpoint.close(how),
    closed: endpoint.closed,
    stats: () => endpoint.stats(),
    [Symbol.asyncDispose]: () => endpoint.close(),
  })
}

function createRouter(
  { path, legacySse }: { readonly path?: string } & Pick<EndpointOptions, 'legacySse'>,
  sessions: SessionsPart | undefined,
): (request: Request) => Route | undefined {
  if (path === undefined) {
    const routeOf = sessions?.routeOf(legacySse)
    return (request) => routeOf?.(pathOf(request)) ?? 'mcp'
  }
  const routes = sessions?.routePaths(path, legacySse) ?? new Map<string, Route>([[slashed(path), 'mcp']])
  return (request) => routes.get(pathOf(request))
}

/** Removes the type of `ctx.locals`, which the signature of `toFetch` has already checked. */
function neutral<Locals>(server: Servable<Locals> | FetchSelector<Locals>): Servable | ServerSelector {
  if (typeof server !== 'function') return server as Servable
  return (request) => server((request as FetchRequest).request) as ReturnType<ServerSelector>
}

const OWN_OPTIONS: OptionNames<FetchMountOptions<unknown>> = { path: 1, locals: 1, connection: 1 }
const EMPTY = new Uint8Array()
const KEEP_BODY =
  "Pass a request whose body nobody has read: turn the router's parser off for this route (in Elysia, parse: 'none'), or read a clone of the request."
const pathOf = ({ url }: Request): string => new URL(url).pathname

class FetchRequest extends WebRequest implements HttpRequest {
  readonly route: Route
  readonly request: Request
  readonly #options: FetchMountOptions<unknown>
  readonly #environment: readonly unknown[]

  constructor(
    request: Request,
    route: Route,
    options: FetchMountOptions<unknown>,
    environment: readonly unknown[],
  ) {
    super(request, options.connection?.(request, environment))
    this.request = request
    this.route = route
    this.#options = options
    this.#environment = environment
  }

  get method(): string {
    return this.request.method
  }
  get path(): string {
    return pathOf(this.request)
  }
  get locals(): unknown {
    return this.#options.locals?.(this.request, ...this.#environment)
  }

  header(name: string): string | undefined {
    const authority = name === 'host' ? this.connection?.authority : undefined
    const value = authority ?? this.request.headers.get(name)
    if (value !== null) return value
    // Some runtimes build the URL from the Host header, and omit the header itself.
    return name === 'host' ? new URL(this.request.url).host : undefined
  }
  query(name: string): string | undefined {
    return new URL(this.request.url).searchParams.get(name) ?? undefined
  }
  waitUntil(work: Promise<unknown>): void {
    this.#environment.find(isHost)?.waitUntil(work)
  }
}

const isHost = (given: unknown): given is Required<WorkHost> =>
  typeof (given as WorkHost | null | undefined)?.waitUntil === 'function'

function toResponse(reply: HttpReply, request: FetchRequest): Response {
  const { status, headers } = reply
  // The headers are copied, because version 1 of @hono/node-server adds Content-Length to them.
  if (!reply.open) return new Response(reply.body ?? null, { status, headers: { ...headers } })
  return new Response(toReadableStream(reply, request), { status, headers: streamHeaders(headers) })
}
