import { type FetchHandler, type FetchSelector, serveFetch, type WithLocals } from './adapter/fetch.ts'
import { type Endpoint, mountEndpoint } from './endpoint.ts'
import type { EndpointOptions, KeepAliveOptions, MountLimits, StreamOptions } from './options.ts'
import type { Servable, ServerSelector } from './served-servers.ts'

type Whole = 'stateless' | 'sessions' | 'legacySse' | 'limits' | 'streams'

/** What an endpoint at the edge takes: the options of every endpoint, but those of sessions and subscriptions. */
export interface EdgeEndpointOptions extends Omit<EndpointOptions, Whole> {
  /** Bounds on bodies and queues. */
  readonly limits?: Omit<MountLimits, 'subscriptions'>
  /** How event streams begin and stay open. */
  readonly streams?: Pick<StreamOptions, 'upgradeAfterMs'> & {
    /** What is written on streams that are silent; `false` writes nothing. @default a comment every 15 s */
    readonly keepAlive?: false | Pick<KeepAliveOptions, 'intervalMs'>
  }
}

/**
 * Mounts a server on HTTP without sessions: clients of the session era are served without them.
 *
 * @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`; `ERR_MCP_CLOSED` when the server is closed
 */
export function createEndpoint<Locals = unknown>(
  server: Servable<Locals> | ServerSelector<Locals>,
  options: EdgeEndpointOptions = {},
): Endpoint<Locals> {
  return mountEndpoint(server, options, {})
}

/** What {@link toFetch} takes, and `locals`. A server that declares its locals needs it. */
export type EdgeFetchOptions<Locals = unknown> = WithLocals<EdgeEndpointOptions, Locals>

/**
 * Serves a server to anything that speaks web `Request` and `Response`, without sessions. Every address is the MCP path.
 *
 * @throws what {@link createEndpoint} throws
 */
export function toFetch<Locals = unknown>(
  server: Servable<Locals> | FetchSelector<Locals>,
  ...[options]: unknown extends Locals
    ? [options?: EdgeFetchOptions<NoInfer<Locals>>]
    : [options: EdgeFetchOptions<NoInfer<Locals>>]
): FetchHandler {
  return serveFetch(server, options ?? {}, {})
}
