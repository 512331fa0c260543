import type { WorkHost } from '../call/wait-until.ts'
import type { OptionNames } from '../util/check-options.ts'
import type { MountHandle } from '../session/server-runtime.ts'
import { type Endpoint, ALL_PARTS, mountEndpoint } from './endpoint.ts'
import { onDisconnect } from './types.ts'
import type { EndpointOptions } from './options.ts'
import { slashed } from './sse-paths.ts'
import { checkServer } from './mount-options.ts'
import type { EndpointParts, SessionsPart } from './parts.ts'
import { readWebStream } from './adapter/read-body.ts'
import type { Servable, ServerSelector } from './servers/served-servers.ts'
import { type AcceptedRequest, BodyError, type Route, type HttpReply, type HttpRequest } from './types.ts'
import { type NodeExchange, nodeExchange } from './adapter/node-exchange.ts'
import { type StreamedRequest, streamHeaders, toReadableStream } from './adapter/readable-stream.ts'

/** The options of {@link toFetch} that an endpoint does not have. */
export interface FetchMountOptions<Locals> {
  /**
   * Where the server answers, as a whole path. Other paths get 404. With `legacySse` it also answers at
   * `/sse` and `/message` in the same directory. For hosts that cannot route.
   *
   * @default every path
   */
  readonly path?: string
  /**
   * The app's own data for a request, as `ctx.locals`. Called once, after the guard has accepted the request.
   *
   * @param environment - the other arguments of the runtime's `fetch`: in Workers the bindings, then `ctx`
   */
  locals?(request: Request, ...environment: readonly unknown[]): NoInfer<Locals>
}

/**
 * The options of `toFetch` and of its endpoint. A server that declares the type of
 * `ctx.locals` needs `locals`.
 */
export type FetchOptions<Locals = unknown> = WithLocals<EndpointOptions, Locals>

export type WithLocals<Options, Locals> = Options &
  FetchMountOptions<Locals> &
  (unknown extends Locals ? unknown : Required<Pick<FetchMountOptions<Locals>, 'locals'>>)

/** Chooses the server of a request: see {@link ServerSelector}. */
export type FetchSelector<Locals = unknown> = (
  request: Request,
) => Servable<Locals> | undefined | Promise<Servable<Locals> | undefined>

/** Answers web requests. Close it like every mount. */
export interface FetchHandler extends MountHandle {
  /**
   * @param environment - the other arguments of the runtime's `fetch`, which the option `locals` gets. If one
   *   of them has `waitUntil`, as the third has in Workers, it is used.
   */
  (request: Request, ...environment: readonly unknown[]): Promise<Response>
}

/**
 * Serves a server to runtimes and routers with web `Request` and `Response`, such as Workers, Deno and Bun.
 * Route only its own requests to it, or set `path`: without it every path is the MCP path, except those that
 * end like the paths of `legacySse`. The paths of the option `health` are whole paths.
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

/** {@link toFetch} with the parts of a preset. */
export function serveFetch<Locals>(
  server: Servable<Locals> | FetchSelector<Locals>,
  given: EndpointOptions & FetchMountOptions<Locals>,
  parts: EndpointParts,
): FetchHandler {
  checkServer(server, 'toFetch(server, options)')
  parts.checkOptions?.(given, OWN_OPTIONS)
  const endpoint: Endpoint = mountEndpoint(neutral(server), given, parts, { path: given.path })
  const routeOf = createRouter(given, parts.sessions)
  const seam: Seam = { options: given, node: parts.node }
  const handler = async (request: Request, ...environment: readonly unknown[]): Promise<Response> => {
    const route = routeOf(request)
    const exchange = new FetchRequest(request, route ?? 'mcp', seam, environment)
    const probe = endpoint.probes.size === 0 ? undefined : endpoint.probes.get(pathOf(request))
    if (probe !== undefined) return toResponse(endpoint.probe(probe, request.method), exchange)
    const document = endpoint.wellKnown?.answer(exchange)
    if (document !== undefined) return toResponse(document, exchange)
    if (route === undefined) return new Response(null, { status: 404 })
    const read = (accepted: AcceptedRequest): Uint8Array | Promise<Uint8Array> => {
      if (request.body === null) return EMPTY
      if (request.bodyUsed || request.body.locked) throw BodyError.lost(undefined, KEEP_BODY)
      return readWebStream(request.body, accepted)
    }
    return toResponse(exchange.watch(endpoint, await endpoint.handle(exchange, read)), exchange)
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

/** The signature of `toFetch` has checked the type of `locals`. */
function neutral<Locals>(server: Servable<Locals> | FetchSelector<Locals>): Servable | ServerSelector {
  if (typeof server !== 'function') return server as Servable
  return (request) => server((request as FetchRequest).request) as ReturnType<ServerSelector>
}

const OWN_OPTIONS: OptionNames<FetchMountOptions<unknown>> = { path: 1, locals: 1 }
const EMPTY = new Uint8Array()
const KEEP_BODY =
  "Pass a request whose body nobody has read: turn the router's parser off for this route (in Elysia, parse: 'none'), or read a clone of the request."
const pathOf = ({ url }: Request): string => new URL(url).pathname

interface Seam {
  readonly options: FetchMountOptions<unknown>
  readonly node: EndpointParts['node'] | undefined
}

class FetchRequest implements HttpRequest, StreamedRequest {
  readonly route: Route
  readonly request: Request
  readonly #seam: Seam
  readonly #environment: readonly unknown[]
  readonly #node: NodeExchange | undefined
  #left: AbortController | undefined

  constructor(request: Request, route: Route, seam: Seam, environment: readonly unknown[]) {
    this.request = request
    this.route = route
    this.#seam = seam
    this.#environment = environment
    this.#node = nodeExchange(request, environment)
  }

  get method(): string {
    return this.request.method
  }
  get path(): string {
    return pathOf(this.request)
  }
  get peer(): HttpRequest['peer'] {
    return this.#node?.incoming.socket
  }
  get locals(): unknown {
    return this.#seam.options.locals?.(this.request, ...this.#environment)
  }
  get signal(): AbortSignal {
    return this.#controller().signal
  }

  header(name: string): string | undefined {
    const value = this.#authority(name) ?? this.request.headers.get(name)
    if (value !== null) return value
    // Some runtimes build the URL from the Host header and leave the header out.
    return name === 'host' ? new URL(this.request.url).host : undefined
  }
  query(name: string): string | undefined {
    return new URL(this.request.url).searchParams.get(name) ?? undefined
  }
  waitUntil(work: Promise<unknown>): void {
    this.#environment.find(isHost)?.waitUntil(work)
  }

  /**
   * Calls the function when the response may be written: on Node it may wait for those
   * before it on its connection.
   */
  atTurn(open: () => void): void {
    const { node } = this.#seam
    const { incoming, outgoing } = this.#node ?? {}
    if (node === undefined || incoming === undefined || outgoing === undefined) return open()
    node.onTurn(incoming, outgoing, (connected) => {
      if (!connected) this.leave()
      open()
    })
  }

  get stall(): StreamedRequest['stall'] {
    const { outgoing } = this.#node ?? {}
    return outgoing && this.#seam.node?.stallLimit(outgoing)
  }

  /** Watches the reply on Node. */
  watch(endpoint: Endpoint, reply: HttpReply): HttpReply {
    const { incoming: request, outgoing: response } = this.#node ?? {}
    if (request !== undefined && response !== undefined)
      this.#seam.node?.watchReply(endpoint, { asked: this, request, response }, reply)
    return reply
  }

  /**
   * The client has disconnected. Some runtimes abort the request's signal, and all
   * cancel the body of the reply.
   */
  leave(): void {
    this.#controller().abort()
  }

  #controller(): AbortController {
    if (this.#left === undefined) {
      const left = new AbortController()
      onDisconnect(this.request, () => left.abort())
      this.#left = left
      this.atTurn(() => {})
    }
    return this.#left
  }

  /** HTTP/2 has the host in a pseudo-header: https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1 */
  #authority(name: string): string | null {
    const value = name === 'host' ? this.#node?.incoming.headers?.[':authority'] : undefined
    return typeof value === 'string' ? value : null
  }
}

const isHost = (given: unknown): given is Required<WorkHost> =>
  typeof (given as WorkHost | null | undefined)?.waitUntil === 'function'

function toResponse(reply: HttpReply, request: FetchRequest): Response {
  const { status, headers } = reply
  if (!reply.open) return new Response(reply.body ?? null, { status, headers })
  return new Response(toReadableStream(reply, request), { status, headers: streamHeaders(headers) })
}
