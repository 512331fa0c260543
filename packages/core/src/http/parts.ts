import type { routeOf, routePaths } from './sse-paths.ts'
import type { checkEndpointOptions } from './mount-options.ts'
import type { EndpointContext } from './context.ts'
import type { createSessions } from './create-sessions.ts'
import type { duplicateHeader } from './guard/headers.ts'
import type { checkParsed } from '../protocol/parse.ts'
import type { resolveSessionOptions } from './sessions/session-options.ts'
import type { SubscriptionHandler } from './streamable/subscription-handler.ts'

/** The parts of an endpoint that some presets omit. Bundlers drop the code of parts that are not imported. */
export interface EndpointParts {
  readonly sessions?: SessionsPart
  readonly subscriptions?: (context: EndpointContext) => SubscriptionHandler
  /** For requests that are not web requests. */
  readonly adapters?: AdaptersPart
  /** Checks the names of options. In presets without this check, only the types detect invalid names. */
  readonly checkOptions?: typeof checkEndpointOptions
}

/** The checks for hosts that pass on raw headers, and bodies that they have parsed. */
export interface AdaptersPart {
  readonly duplicateHeader: typeof duplicateHeader
  readonly checkParsed: typeof checkParsed
}

/** Sessions with their stores and streams, and HTTP+SSE, which always uses sessions. */
export interface SessionsPart {
  readonly resolveOptions: typeof resolveSessionOptions
  readonly create: typeof createSessions
  readonly routeOf: typeof routeOf
  readonly routePaths: typeof routePaths
}
