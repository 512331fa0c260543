import {
  checkNames,
  type ClientCapabilities,
  type JsonObject,
  type NameHints,
  type OptionNames,
  type RevisionDate,
} from '@jetway/core/protocol'
import { type Clock, systemClock } from '@jetway/core/stores'
import type { ClientTelemetry } from '@jetway/core/telemetry'
import type { Progress } from '../connection/pending-request.ts'
import { type EraCache, sharedEras } from './era-cache.ts'
import { type ClientHandlers, HANDLERS } from './handlers.ts'
import { withDefaults } from '../util/defaults.ts'

/** The options of a `Client`. */
export interface ClientOptions {
  /** The host's name for this server. It is passed to handlers, but never sent to the server. */
  readonly name?: string
  /** The revisions that the client may use. @default all revisions */
  readonly revisions?: readonly RevisionDate[]
  /** Handlers for the server's requests. The capability for each handler is declared. */
  readonly handlers?: ClientHandlers
  /** Capabilities to declare in addition to those that the handlers imply. */
  readonly capabilities?: Pick<ClientCapabilities, 'sampling' | 'experimental' | 'extensions'>
  /**
   * Whether to declare the tasks extension. With it, the server may run calls as tasks, and `callTool` waits
   * for their results. The client also declares the extension when a tool requires it. It is not needed in
   * revision 2025-11-25.
   * @default false
   */
  readonly tasks?: boolean
  /** The timeout for a response or for the next progress notification, in ms. @default 60_000 */
  readonly timeoutMs?: number
  /** The timeout for a whole request, in ms, excluding the time that handlers take. @default 300_000 */
  readonly maxTotalMs?: number
  /** The timeout for `connect` as a whole, in ms. @default 60_000 */
  readonly connectTimeoutMs?: number
  /** The timeout for a handler, in ms. @default 600_000 */
  readonly handlerTimeoutMs?: number
  /** The maximum number of times for which a call may ask for input. @default 8 */
  readonly maxRounds?: number
  /** The maximum number of pages in a list. If there are more, listing fails. @default 64 */
  readonly maxPages?: number
  /** The maximum number of entries in a list. If there are more, listing fails. @default 10_000 */
  readonly maxItems?: number
  /**
   * The maximum size of a list, in bytes. If a list is larger, listing fails. Each character counts as 2 bytes,
   * and each value as 16 bytes. A manager keeps four lists for each server; this limit applies to all four
   * combined.
   *
   * @default 67_108_864
   */
  readonly maxListBytes?: number
  /** Whether to reject requests for capabilities that the server has not declared. @default true */
  readonly strictCapabilities?: boolean
  /** Whether to validate structured results against the tool's `outputSchema`. @default true */
  readonly validateOutput?: boolean
  /** The cache of servers' eras. If false, eras are not cached. @default one cache for all clients */
  readonly eras?: EraCache | false
  /**
   * Traces and metrics: `telemetry()` from `@jetway/otel`. Errors that it throws are emitted as `error` events.
   * @default none
   */
  readonly telemetry?: ClientTelemetry
  /** The clock for timeouts. @default the system clock */
  readonly clock?: Clock
}

/** The options of one request. */
export interface RequestOptions {
  /** A signal that cancels the request. The request then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** See {@link ClientOptions.timeoutMs}. @default the client's `timeoutMs` */
  readonly timeoutMs?: number
  /** See {@link ClientOptions.maxTotalMs}. @default the client's `maxTotalMs` */
  readonly maxTotalMs?: number
  /**
   * A listener for progress. If it is set, progress is requested from the server. Each notification restarts
   * `timeoutMs`. The listener is not called when the progress decreases.
   */
  readonly onProgress?: (progress: Progress) => void
  /** The request's metadata. Custom keys need a prefix. */
  readonly _meta?: JsonObject
}

export type { Progress }

/** The options that have no default. */
type Optional = 'name' | 'revisions' | 'telemetry'

export const DEFAULTS: Required<Omit<ClientOptions, Optional>> = {
  handlers: {},
  capabilities: {},
  tasks: false,
  timeoutMs: 60_000,
  maxTotalMs: 300_000,
  connectTimeoutMs: 60_000,
  handlerTimeoutMs: 600_000,
  maxRounds: 8,
  maxPages: 64,
  maxItems: 10_000,
  maxListBytes: 64 * 1024 * 1024,
  strictCapabilities: true,
  validateOutput: true,
  eras: sharedEras,
  clock: systemClock,
}

/** The time limits of requests. A client can change them. */
export interface RequestTimeouts {
  /** See {@link ClientOptions.timeoutMs}. */
  timeoutMs: number
  /** See {@link ClientOptions.maxTotalMs}. */
  maxTotalMs: number
}

/**
 * The options with their defaults. All parts of a client share this object, so that each request uses the
 * current values.
 */
export type ResolvedOptions = Pick<ClientOptions, Optional> &
  typeof DEFAULTS &
  RequestTimeouts & { tasks: boolean }

const NAMES: OptionNames<ClientOptions> = {
  name: 1,
  revisions: 1,
  handlers: HANDLERS,
  capabilities: { sampling: 1, experimental: 1, extensions: 1 },
  tasks: 1,
  timeoutMs: 1,
  maxTotalMs: 1,
  connectTimeoutMs: 1,
  handlerTimeoutMs: 1,
  maxRounds: 1,
  maxPages: 1,
  maxItems: 1,
  maxListBytes: 1,
  strictCapabilities: 1,
  validateOutput: 1,
  eras: 1,
  telemetry: 1,
  clock: 1,
}
const ON_THE_TRANSPORT = 'it is an option of the transport: client.connect(http(url, { … }))'
const HINTS: NameHints = {
  enforceStrictCapabilities: 'its name is strictCapabilities',
  elicitation: 'its name is elicit',
  sampling: 'its name is sample',
  headers: ON_THE_TRANSPORT,
  auth: ON_THE_TRANSPORT,
}

/** Fills in defaults. @throws UsageError `ERR_MCP_OPTION` for an unknown option */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  checkNames(options, NAMES, HINTS)
  return withDefaults(options, DEFAULTS)
}
