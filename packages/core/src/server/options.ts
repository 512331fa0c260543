import { usageError } from '../errors.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import type { RevisionDate } from '../protocol/revisions/revision.ts'
import { type Implementation, LOG_LEVELS, type LogLevel } from '../protocol/types.ts'
import { type InputContext, DEFAULT_INPUT_LIMITS, type InputLimits } from '../call/input/types.ts'
import type { Bus } from '../stores/bus.ts'
import { type Clock, MAX_TIMEOUT_MS, systemClock } from '../util/clock.ts'
import type { ClientView } from '../call/client-view.ts'
import type { RequestContext } from '../call/context.ts'
import type { Logger } from '../util/logger.ts'
import { UrlCompletions } from '../call/input/url-completion.ts'
import { type Random, secureRandom } from '../util/random.ts'
import { DEFAULT_STATE_LIMITS, type RequestStateOptions, RequestStates } from '../call/input/request-state.ts'
import { DEFAULT_LIMITS, type ServerLimits, type SessionLimits } from '../session/server-runtime.ts'
import type { TaskStore } from '../stores/task-store.ts'
import type { TaskLimits } from '../tasks/task-runner.ts'
import { isJsonFaithful } from '../schema/validate/json-faithful.ts'
import { isSchemaCache, type SchemaCache } from '../schema/cache/cache.ts'
import { createCachedEngine } from '../schema/cache/cached-engine.ts'
import type { SchemaEngine } from '../schema/types.ts'
import type { CacheOptions } from '../features/registry/caching.ts'
import { checkIcons, MIN_RESULT_BYTES } from '../features/registry/checks.ts'
import type { OfferingExtension } from '../features/extensions.ts'

/** Options of a server. Every default is meant for production. */
export interface ServerOptions<App = unknown> {
  /** How to use the server as a whole, for the model. A function is asked at the start of each session, and by each `server/discover`. */
  readonly instructions?: string | ((client: ClientView) => string | undefined | Promise<string | undefined>)
  /**
   * Opened when the first client comes and given to handlers as `ctx.app`. When the server closes it is disposed
   * through `Symbol.asyncDispose` or `Symbol.dispose`, if it has one of them.
   */
  readonly lifespan?: () => App | Promise<App>
  /**
   * How long clients may keep the answers to lists, reads and `server/discover`. Session revisions have no such hints.
   * @default not at all
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
   */
  readonly cache?: CacheOptions
  /** Entries of a list that one answer holds. @default everything in one */
  readonly pageSize?: number
  /**
   * Bytes of UTF-8 that a result may have as JSON, at least 1024. A larger one is answered with an error that names its
   * size: `isError` for a tool, JSON-RPC `-32603` elsewhere. The default stays below the 10 MiB at which clients give a
   * line up. @default 8_388_608
   */
  readonly maxResultBytes?: number
  /** Whether `tools/list` is ordered by the tools' `priority`, highest first, then by name. @default false */
  readonly orderByPriority?: boolean
  /** Whether a line at the end of a tool's description names its `relatedTools`, for models to read. @default false */
  readonly describeRelations?: boolean
  /** Whether structured results are held against the tool's `outputSchema` before they are sent. @default true */
  readonly validateOutput?: boolean
  /**
   * Whether tools refuse arguments that their `inputSchema` does not name, at any depth, and say so in what they
   * publish. An object that the schema itself opens stays open; of JSON Schema only the root is closed, and only if it
   * says nothing of further properties. @default false
   */
  readonly strictInput?: boolean
  /**
   * Capabilities outside the protocol that clients are told of at the start of a session, as
   * `capabilities.experimental`: an object under each name, `{}` where there is nothing to say. Plain JSON, copied when
   * the server is made. @default none
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation
   */
  readonly experimental?: Readonly<Record<string, object>>
  /**
   * What the server offers beyond the protocol; see `defineExtension`. Each is off until it is named here.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
   * @default none
   */
  readonly extensions?: readonly OfferingExtension<NoInfer<App>, never>[]
  /** Whether handlers may send logs to clients. @default true */
  readonly logging?: boolean
  /** What is sent to a client that has not chosen a level. @default 'info' */
  readonly defaultLogLevel?: LogLevel
  /** A handler without a sign of life for this long is ended, in ms. @default 60_000 */
  readonly handlerTimeoutMs?: number
  /** A handler is ended after this long whatever progress it reports, in ms. @default 300_000 */
  readonly maxHandlerTimeoutMs?: number
  /**
   * A call that was asked for progress and has reported none for this long gets a notification from the server, in ms,
   * again and again until it ends: clients start their request timers anew. Its handler's own limits do not move. On HTTP
   * it turns the reply into a stream, as all progress does. `false` turns it off. @default 15_000
   */
  readonly progressHeartbeat?: number | false
  /** How long a person or model may take over one question; outside the handler's time. In ms. @default 600_000 */
  readonly inputTimeoutMs?: number
  /** How often one call may come back with questions. @default 8 */
  readonly maxInputRounds?: number
  /**
   * What a call knows while its client gathers answers, in revisions where they come with a new request. Only its keys
   * have to be given, and only where a call may go on in another process.
   */
  readonly requestState?: RequestStateOptions
  /** Bounds on the calls that run, and that run or wait. */
  readonly limits?: CallLimits
  /** How calls run as tasks, for the tools whose `taskSupport` lets them. */
  readonly tasks?: TaskOptions
  /** The protocol revisions to serve. @default all that Jetway knows */
  readonly revisions?: readonly RevisionDate[]
  /** Hears of every error that was hidden from the peer, with the correlation id that the peer was shown. */
  readonly onError?: (error: unknown, ctx: RequestContext, correlationId: string) => void
  /** Anything of pino's shape. @default warnings and errors go to stderr */
  readonly logger?: Logger
  /** Carries change events, between nodes too with a shared one. @default one in memory */
  readonly bus?: Bus
  /**
   * The schemas of the tools and prompts, converted and compiled beforehand: what `npx jetway schemas build` has written.
   * What is not in it, or was made by another version, is converted and compiled at start, and the logger is told once.
   */
  readonly schemas?: SchemaCache
  /** What turns schemas into JSON Schema and validators, where no cache has them. @default the full engine, on ajv */
  readonly schemaEngine?: SchemaEngine
  /** @internal */
  readonly clock?: Clock
  /** @internal */
  readonly random?: Random
}

/** Bounds on calls; what is left out has its default. */
export interface CallLimits extends Partial<SessionLimits> {
  /** The same for all anonymous clients of one mount together, where calls come without sessions. */
  readonly anonymous?: Partial<SessionLimits>
  /** Subscriptions (`subscriptions/listen`) that one connection, stdio or in memory, may have open. @default 100 */
  readonly subscriptions?: number
}

/** Options of tasks. */
export interface TaskOptions extends Partial<TaskLimits> {
  /** Keeps the tasks, for other nodes too with a shared one. @default one in memory, of 1_000 tasks and 64 MiB */
  readonly store?: TaskStore
}

export function checkInfo(info: Implementation): void {
  for (const member of ['name', 'version'] as const) {
    if (typeof info?.[member] !== 'string' || info[member] === '')
      throw option(`new McpServer({ name, version }): ${member} must be a string that is not empty`)
  }
  checkIcons({ kind: 'server', name: info.name }, info.icons)
}

/** @throws `ERR_MCP_SCHEMA_CACHE` */
export function schemaEngineOf(
  { schemas: cache, schemaEngine }: Pick<ServerOptions, 'schemas' | 'schemaEngine'>,
  create: () => SchemaEngine,
  logger: Logger,
): SchemaEngine {
  const live = schemaEngine ?? create()
  if (cache === undefined) return live
  if (!isSchemaCache(cache))
    throw usageError(
      'ERR_MCP_SCHEMA_CACHE',
      'The option schemas must be the default export of the module that "jetway schemas build" has written',
    )
  const missed = (schema: string, reason: string): void =>
    logger.warn(
      { schema, reason },
      'The schema cache does not have all schemas, which costs time at start; run "npx jetway schemas build"',
    )
  return createCachedEngine({ cache, live, missed })
}

export function milliseconds(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0 && value <= MAX_TIMEOUT_MS) return value
  throw option(`The option ${name} must be a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`)
}

/** Undefined where it is off. */
export function heartbeat(value: number | false = 15_000): number | undefined {
  return value === false ? undefined : milliseconds('progressHeartbeat', value)
}

export function resultBytes(value: number = 8 * 1024 * 1024): number {
  if (Number.isSafeInteger(value) && value >= MIN_RESULT_BYTES) return value
  throw option(`The option maxResultBytes must be a whole number of bytes, ${MIN_RESULT_BYTES} or more`)
}

/** A limit of none, or of no number, would keep every call waiting for ever. */
export function callLimits({ anonymous, ...given }: CallLimits = {}): ServerLimits {
  const limits = { ...DEFAULT_LIMITS, ...given, anonymous: { ...DEFAULT_LIMITS.anonymous, ...anonymous } }
  const { running, inFlight, subscriptions } = limits
  const numbers = {
    running,
    inFlight,
    subscriptions,
    'anonymous.running': limits.anonymous.running,
    'anonymous.inFlight': limits.anonymous.inFlight,
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw option(`The option limits.${name} must be a whole number above 0`)
  }
  return limits
}

type AskingOptions = Pick<
  ServerOptions,
  'clock' | 'random' | 'requestState' | 'inputTimeoutMs' | 'maxInputRounds'
>

/** What calls ask with. Draws no key: that is done when the first one is needed. */
export function createAsking(
  { name: server }: Implementation,
  options: AskingOptions,
  bus: Bus,
): InputContext {
  const { clock = systemClock, random = secureRandom, requestState = {} } = options
  const { keys, ...limits } = { keys: undefined, ...DEFAULT_STATE_LIMITS, ...requestState }
  milliseconds('requestState.ttlMs', limits.ttlMs)
  if (!(Number.isSafeInteger(limits.maxBytes) && limits.maxBytes >= MIN_STATE_BYTES))
    throw option(`The option requestState.maxBytes must be a whole number, ${MIN_STATE_BYTES} or more`)
  if (!(Number.isSafeInteger(limits.maxUsed) && limits.maxUsed > 0))
    throw option('The option requestState.maxUsed must be a whole number above 0')
  if (typeof limits.singleUse !== 'boolean')
    throw option('The option requestState.singleUse must be true or false')
  const states = new RequestStates({ ...limits, server, keys, clock, random })
  const opened = new UrlCompletions({ bus, clock })
  return { limits: inputLimits(options), states, urlCompletions: opened }
}

function inputLimits({
  inputTimeoutMs,
  maxInputRounds,
}: Pick<ServerOptions, 'inputTimeoutMs' | 'maxInputRounds'>): InputLimits {
  const { timeoutMs, maxRounds } = DEFAULT_INPUT_LIMITS
  if (maxInputRounds !== undefined && !(Number.isSafeInteger(maxInputRounds) && maxInputRounds > 0))
    throw option('The option maxInputRounds must be a whole number above 0')
  return {
    timeoutMs: milliseconds('inputTimeoutMs', inputTimeoutMs ?? timeoutMs),
    maxRounds: maxInputRounds ?? maxRounds,
  }
}

/** Below this there is no room for a few short answers. */
const MIN_STATE_BYTES = 1024

/** A copy, so that what clients are told does not change behind the server's back. */
export function experimental(given: ServerOptions['experimental']): JsonObject | undefined {
  if (given === undefined) return undefined
  const plain = isObject(given) && isJsonFaithful(given) && Object.values(given).every(isObject)
  if (!plain)
    throw option('The option experimental must be an object of objects that JSON carries as they are')
  return JSON.parse(JSON.stringify(given)) as JsonObject
}

export function logLevel(level: LogLevel = 'info'): LogLevel {
  if (LOG_LEVELS.includes(level)) return level
  throw option(`The option defaultLogLevel must be one of ${LOG_LEVELS.join(', ')}`)
}

export const option = (message: string): Error => usageError('ERR_MCP_OPTION', message)
