import { type FetchHandler, type FetchSelector, serveFetch, type WithLocals } from './fetch.ts'
import { ADAPTERS, type Endpoint, mountEndpoint } from './endpoint.ts'
import { checkServer } from './mount-options.ts'
import type {
  EndpointOptions,
  EndpointPlace,
  KeepAliveOptions,
  MountLimits,
  StreamOptions,
} from './options.ts'
import type { Servable, ServerSelector } from './servers/served-servers.ts'

type Whole = 'stateless' | 'sessions' | 'legacySse' | 'limits' | 'streams'

/** The options of an endpoint, except those for sessions and subscriptions. */
export interface EdgeEndpointOptions extends Omit<EndpointOptions, Whole> {
  /** Limits on bodies and queues. */
  readonly limits?: Omit<MountLimits, 'subscriptions'>
  /** How event streams begin and stay open. */
  readonly streams?: Pick<StreamOptions, 'upgradeAfterMs'> & {
    /** How silent streams are kept open. If `false`, they are not kept open. @default a comment every 15 s */
    readonly keepAlive?: false | Pick<KeepAliveOptions, 'intervalMs'>
  }
}

/**
 * Mounts a server on HTTP, without sessions.
 *
 * @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`; `ERR_MCP_CLOSED` when the server is closed
 */
export function createEndpoint<Locals = unknown>(
  server: Servable<Locals> | ServerSelector<Locals>,
  options: EdgeEndpointOptions = {},
  place: EndpointPlace = {},
): Endpoint<Locals> {
  checkServer(server, 'createEndpoint(server, options)')
  return mountEndpoint(server, options, { adapters: ADAPTERS }, place)
}

/**
 * The options of `toFetch` and of its endpoint. `locals` is required if the server declares the type of
 * `ctx.locals`.
 */
export type EdgeFetchOptions<Locals = unknown> = WithLocals<EdgeEndpointOptions, Locals>

/**
 * Makes a server available, without sessions, to runtimes and routers that use web `Request` and `Response`.
 * Every path is the MCP path, unless `path` is set.
 *
 * @throws the errors of {@link createEndpoint}
 */
export function toFetch<Locals = unknown>(
  server: Servable<Locals> | FetchSelector<Locals>,
  ...[options]: unknown extends Locals
    ? [options?: EdgeFetchOptions<NoInfer<Locals>>]
    : [options: EdgeFetchOptions<NoInfer<Locals>>]
): FetchHandler {
  return serveFetch(server, options ?? {}, {})
}
