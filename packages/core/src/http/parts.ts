import type { CallPool } from '../session/call-pool.ts'
import type { routeOf } from './legacy-sse/routes.ts'
import type { EndpointContext } from './mount.ts'
import type { resolveSessionOptions } from './sessions/session-options.ts'
import type { createSessionRoutes, partsForSessions } from './streamable/session-routes.ts'
import type { SubscriptionHandler } from './streamable/subscription-handler.ts'

/** The parts of an endpoint that not every preset has. Bundlers drop the code of those that none imports. */
export interface EndpointParts {
  readonly sessions?: SessionsPart
  readonly subscriptions?: (context: EndpointContext, calls: CallPool) => SubscriptionHandler
}

/** Sessions, their stores and streams, and HTTP+SSE, which has nothing else. */
export interface SessionsPart {
  readonly resolveOptions: typeof resolveSessionOptions
  readonly createStores: typeof partsForSessions
  readonly createRoutes: typeof createSessionRoutes
  readonly routeOf: typeof routeOf
}
