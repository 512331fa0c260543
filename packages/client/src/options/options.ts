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

/** Options of a `Client`. */
export interface ClientOptions {
  /** The host's name for this server. Handlers get it; the server never does. */
  readonly name?: string
  /** @default all revisions */
  readonly revisions?: readonly RevisionDate[]
  /** Handlers for the server's requests. Each declares its capability. */
  readonly handlers?: ClientHandlers
  /** Capabilities to declare besides those of the handlers. */
  readonly capabilities?: Pick<ClientCapabilities, 'sampling' | 'experimental' | 'extensions'>
  /**
   * Declares the tasks extension: the server may turn calls into tasks, and `callTool` waits for their
   * results. The first tool that refuses to run without declares it too. 2025-11-25 needs no declaration.
   * @default false
   */
  readonly tasks?: boolean
  /** Ms to wait for a response, or for the next progress notification. @default 60_000 */
  readonly timeoutMs?: number
  /** Ms that a request may take in all, not counting the time that handlers take. @default 300_000 */
  readonly maxTotalMs?: number
  /** Ms for all of `connect`. @default 60_000 */
  readonly connectTimeoutMs?: number
  /** Ms that a handler may take. @default 600_000 */
  readonly handlerTimeoutMs?: number
  /** How often one call may ask for input. @default 8 */
  readonly maxRounds?: number
  /** Pages of a list to follow. @default 64 */
  readonly maxPages?: number
  /** Entries of a list to take. @default 10_000 */
  readonly maxItems?: number
  /** Rejects requests for capabilities that the server has not declared. @default true */
  readonly strictCapabilities?: boolean
  /** Validates structured results against the tool's `outputSchema`. @default true */
  readonly validateOutput?: boolean
  /** Remembers the eras of servers; false disables it. @default one cache for all clients */
  readonly eras?: EraCache | false
  /**
   * Traces and metrics: `telemetry()` of `@jetway/otel`. An error that it throws is the event `error`.
   * @default none
   */
  readonly telemetry?: ClientTelemetry
  /** @default the system clock */
  readonly clock?: Clock
}

/** Options of one request. */
export interface RequestOptions {
  /** Aborting it cancels the request and rejects with its reason. */
  readonly signal?: AbortSignal
  /** @default the client's `timeoutMs` */
  readonly timeoutMs?: number
  /** @default the client's `maxTotalMs` */
  readonly maxTotalMs?: number
  /** Asks the server for progress. Each notification restarts `timeoutMs`. */
  readonly onProgress?: (progress: Progress) => void
  /** Sent with the request. Custom keys need a prefix. */
  readonly _meta?: JsonObject
}

export type { Progress }

/** Options without a default. */
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
  strictCapabilities: true,
  validateOutput: true,
  eras: sharedEras,
  clock: systemClock,
}

/** The time limits of requests, which a client can change. */
export interface RequestTimeouts {
  /** See {@link ClientOptions.timeoutMs}. */
  timeoutMs: number
  /** See {@link ClientOptions.maxTotalMs}. */
  maxTotalMs: number
}

/** One object for all parts of a client, so that each request uses the current values. */
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

/** @throws UsageError `ERR_MCP_OPTION` for an unknown option */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  checkNames(options, NAMES, HINTS)
  return withDefaults(options, DEFAULTS)
}
