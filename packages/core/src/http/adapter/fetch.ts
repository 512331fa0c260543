import type { WorkHost } from '../../call/wait-until.ts'
import type { MountHandle } from '../../session/server-runtime.ts'
import { type Endpoint, ALL_PARTS, mountEndpoint } from '../endpoint.ts'
import { onDisconnect } from '../on-disconnect.ts'
import type { EndpointOptions } from '../options.ts'
import type { EndpointParts } from '../parts.ts'
import { readWebStream } from './read-body.ts'
import type { Servable, ServerSelector } from '../served-servers.ts'
import type { Route, HttpReply, HttpRequest } from '../types.ts'
import { toReadableStream } from './readable-stream.ts'

/** What handlers of web requests take beside the options of an endpoint. */
export interface FetchLocals<Locals> {
  /**
   * What handlers find as `ctx.locals`. Called once for a request that has passed the guard.
   *
   * @param environment - what else the runtime's `fetch` is given: in Workers the bindings, then `ctx`
   */
  locals?(request: Request, ...environment: readonly unknown[]): NoInfer<Locals>
}

/** What an endpoint takes, and `locals`. A server that declares its locals needs it. */
export type FetchOptions<Locals = unknown> = WithLocals<EndpointOptions, Locals>

export type WithLocals<Options, Locals> = Options &
  (unknown extends Locals ? FetchLocals<Locals> : Required<FetchLocals<Locals>>)

/** Chooses the server of a request: see {@link ServerSelector}. */
export type FetchSelector<Locals = unknown> = (
  request: Request,
) => Servable<Locals> | undefined | Promise<Servable<Locals> | undefined>

/** Answers web requests, and closes like every mount. */
export interface FetchHandler extends MountHandle {
  /**
   * @param environment - where the runtime has one: what else its `fetch` is given. It goes to the option `locals`, and
   *   its `waitUntil` is used, which Workers have on their third argument.
   */
  (request: Request, ...environment: readonly unknown[]): Promise<Response>
}

/**
 * Serves a server to anything that speaks web `Request` and `Response`: Workers, Deno, Bun, service routers. Route to it
 * what belongs to it: every address is the MCP path, except those that end like the paths of `legacySse`. Of the option
 * `health` the paths are those of the whole address.
 *
 * @throws what {@link createEndpoint} throws
 */
export function toFetch<Locals = unknown>(
  server: Servable<Locals> | FetchSelector<Locals>,
  ...[options]: unknown extends Locals
    ? [options?: FetchOptions<NoInfer<Locals>>]
    : [options: FetchOptions<NoInfer<Locals>>]
): FetchHandler {
  return serveFetch(server, options ?? {}, ALL_PARTS)
}

/** What {@link toFetch} does, with the parts that a preset passes. */
export function serveFetch<Locals>(
  server: Servable<Locals> | FetchSelector<Locals>,
  given: EndpointOptions & FetchLocals<Locals>,
  parts: EndpointParts,
): FetchHandler {
  const endpoint: Endpoint = mountEndpoint(neutral(server), given, parts)
  const routeOf = parts.sessions?.routeOf(given.legacySse)
  const route = (request: Request): Route => routeOf?.(pathOf(request)) ?? 'mcp'
  const handler = async (request: Request, ...environment: readonly unknown[]): Promise<Response> => {
    const exchange = new FetchRequest(request, route(request), given, environment)
    const probe = endpoint.probes.size === 0 ? undefined : endpoint.probes.get(pathOf(request))
    if (probe !== undefined) return toResponse(endpoint.probe(probe, request.method), exchange)
    const read = (limit: number): Uint8Array | Promise<Uint8Array> =>
      request.body === null ? EMPTY : readWebStream(request.body, limit)
    return toResponse(await endpoint.handle(exchange, read), exchange)
  }
  return Object.assign(handler, {
    close: (how?: { readonly deadline?: number }) => endpoint.close(how),
    closed: endpoint.closed,
    stats: () => endpoint.stats(),
    [Symbol.asyncDispose]: () => endpoint.close(),
  })
}

/** What is asked of types is asked already: below, a mount is whatever `locals` gives. */
function neutral<Locals>(server: Servable<Locals> | FetchSelector<Locals>): Servable | ServerSelector {
  if (typeof server !== 'function') return server as Servable
  return (request) => server((request as FetchRequest).request) as ReturnType<ServerSelector>
}

const EMPTY = new Uint8Array()
const pathOf = ({ url }: Request): string => new URL(url).pathname

class FetchRequest implements HttpRequest {
  readonly route: Route
  readonly request: Request
  readonly #options: FetchLocals<unknown>
  readonly #environment: readonly unknown[]
  #left: AbortController | undefined

  constructor(
    request: Request,
    route: Route,
    options: FetchLocals<unknown>,
    environment: readonly unknown[],
  ) {
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
  get signal(): AbortSignal {
    return this.#controller().signal
  }

  header(name: string): string | undefined {
    const value = this.request.headers.get(name)
    if (value !== null) return value
    // A runtime that made the URL of the Host header may have left the header out.
    return name === 'host' ? new URL(this.request.url).host : undefined
  }
  query(name: string): string | undefined {
    return new URL(this.request.url).searchParams.get(name) ?? undefined
  }
  waitUntil(work: Promise<unknown>): void {
    this.#environment.find(isHost)?.waitUntil(work)
  }

  /** The reader of the reply has gone. Some runtimes say so on the request, all of them by cancelling the body. */
  leave(): void {
    this.#controller().abort()
  }

  #controller(): AbortController {
    if (this.#left === undefined) {
      const left = new AbortController()
      onDisconnect(this.request, () => left.abort())
      this.#left = left
    }
    return this.#left
  }
}

const isHost = (given: unknown): given is Required<WorkHost> =>
  typeof (given as WorkHost | null | undefined)?.waitUntil === 'function'

function toResponse(reply: HttpReply, request: FetchRequest): Response {
  const { status, headers } = reply
  if (reply.open === undefined) return new Response(reply.body ?? null, { status, headers })
  return new Response(
    toReadableStream(reply, () => request.leave()),
    { status, headers },
  )
}
