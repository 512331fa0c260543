import { usageError } from '../errors.ts'
import type { ParseLimits } from '../protocol/parse.ts'
import { check, checkNames, type NameHints, type OptionNames, typeName } from '../util/check-options.ts'
import type { HealthOptions } from './health.ts'
import type { LegacySseOptions } from './sse-paths.ts'
import type {
  EndpointOptions,
  KeepAliveOptions,
  MountLimits,
  SealedSessionOptions,
  SessionOptions,
  StreamOptions,
  SubscriptionLimits,
} from './options.ts'
import type { Servable } from './servers/served-servers.ts'

const PARSE: OptionNames<ParseLimits> = { maxDepth: 1, maxTokens: 1 }
const SUBSCRIPTIONS: OptionNames<SubscriptionLimits> = { max: 1, maxPerPrincipal: 1 }
const LIMITS: OptionNames<MountLimits> = {
  bodyBytes: 1,
  bodyTimeoutMs: 1,
  outboundBytes: 1,
  queuedBytes: 1,
  parse: PARSE,
  subscriptions: SUBSCRIPTIONS,
  closeDeadlineMs: 1,
}
const SEAL: OptionNames<SealedSessionOptions> = { keys: 1, maxAgeMs: 1 }
const SESSIONS: OptionNames<SessionOptions> = {
  ttlMs: 1,
  uninitializedTtlMs: 1,
  max: 1,
  maxPerPrincipal: 1,
  allowDelete: 1,
  verifyMs: 1,
  prefix: 1,
  store: 1,
  seal: SEAL,
}
const KEEP_ALIVE: OptionNames<KeepAliveOptions> = { mode: 1, intervalMs: 1, maxMissed: 1 }
const STREAMS: OptionNames<StreamOptions> = {
  keepAlive: KEEP_ALIVE,
  upgradeAfterMs: 1,
  retryMs: 1,
  eventStore: 1,
}
const LEGACY_SSE: OptionNames<LegacySseOptions> = { ssePath: 1, messagePath: 1 }
const HEALTH: OptionNames<HealthOptions> = { livez: 1, readyz: 1 }

const ENDPOINT_OPTIONS: OptionNames<EndpointOptions> = {
  revisions: 1,
  stateless: 1,
  legacySse: LEGACY_SSE,
  allowedHosts: 1,
  allowedOrigins: 1,
  publicUrl: 1,
  authenticate: 1,
  card: 1,
  response: 1,
  limits: LIMITS,
  sessions: SESSIONS,
  shared: 1,
  streams: STREAMS,
  health: HEALTH,
  onReject: 1,
  logger: 1,
}

const OF_THE_SERVER = 'it is an option of the server: new McpServer(info, { … })'

/** Hints for names that are options of the official SDK's transport, or of the server. */
const HINTS: NameHints = {
  sessionIdGenerator: 'for a mount without sessions set stateless to true',
  enableJsonResponse: "set response to 'json'",
  enableDnsRebindingProtection: 'leave it out, because Host and Origin are always checked',
  instructions: OF_THE_SERVER,
  lifespan: OF_THE_SERVER,
}

/** @throws `ERR_MCP_OPTION` for an option that is neither in `own` nor an option of an endpoint */
export function checkEndpointOptions(options: unknown, own: object = {}): void {
  checkNames(options, { ...ENDPOINT_OPTIONS, ...own }, HINTS)
  const { card } = options as EndpointOptions
  check('card', ['undefined', 'function'].includes(typeof card), 'must be serverCard(…)')
}

/**
 * Checks the options passed to an adapter, as in `mcp({ server, path })`: whether `server` is a server or a
 * function, and whether each name is an option of the adapter or of {@link EndpointOptions}. `createEndpoint`
 * checks the values.
 *
 * @param options - the options as passed by the app
 * @param own - an object whose keys are the names of the adapter's own options, including `server`
 * @param call - the correct call, for error messages, such as `mcp({ server })`
 * @throws `ERR_MCP_OPTION`
 */
export function checkMountOptions(options: unknown, own: object, call: string): void {
  const server: unknown = (options as { readonly server?: unknown } | undefined | null)?.server
  if (!isServable(server) && typeof server !== 'function') {
    const problem = isServable(options)
      ? 'The server must be an option'
      : notAServer(server, 'The option server')
    throw usageError('ERR_MCP_OPTION', `${problem}: call ${call}`)
  }
  checkEndpointOptions(options, own)
  const { authenticate, authInfo } = options as {
    readonly authenticate?: unknown
    readonly authInfo?: unknown
  }
  if (authenticate === undefined || authInfo === undefined) return
  const meanings = 'authenticate finds out who calls, authInfo reads what the app knows'
  throw usageError('ERR_MCP_OPTION', `Set authenticate or authInfo, not both: ${meanings}`)
}

/** Checks the arguments of `createEndpoint`. */
export function checkEndpoint(server: unknown, options: unknown): void {
  checkServer(server, 'createEndpoint(server, options)')
  checkEndpointOptions(options)
}

/**
 * @param call - the correct call, for error messages
 * @throws `ERR_MCP_OPTION` for a first argument that is neither a server nor a function
 */
export function checkServer(server: unknown, call: string): void {
  if (isServable(server) || typeof server === 'function') return
  const inner: unknown = (server as { readonly server?: unknown } | undefined | null)?.server
  const problem = isServable(inner)
    ? 'The server must be the first argument, not an option'
    : notAServer(server, 'The first argument')
  throw usageError('ERR_MCP_OPTION', `${problem}: call ${call}`)
}

/** Checks the members rather than the class, because several copies of this package may be loaded. */
const isServable = (value: unknown): value is Servable =>
  typeof (value as Partial<Servable> | null | undefined)?.runtime?.dispatcher === 'object'

const notAServer = (value: unknown, which: string): string =>
  value === undefined
    ? `${which} is missing`
    : `${which} must be an McpServer of @jetway/core, or a function that returns one, not ${kindOf(value)}`

const kindOf = (value: unknown): string =>
  typeof (value as { readonly connect?: unknown } | null)?.connect === 'function'
    ? 'a server of another library'
    : typeName(value)
