import type { RevisionDate } from '../protocol/revisions/revision.ts'
import type { LogLevel } from '../protocol/types.ts'
import type { Bus } from '../stores/bus.ts'
import type { Clock } from '../util/clock.ts'
import type { ClientView, RequestContext } from '../call/request-context.ts'
import type { Logger } from '../util/logger.ts'
import type { Random } from '../util/random.ts'
import type { RequestStateOptions } from '../call/input/request-state.ts'
import type { AnonymousLimits, SessionLimits } from '../session/server-runtime.ts'
import type { SharedStores } from '../stores/shared-stores.ts'
import type { TaskStore } from '../stores/task-store.ts'
import type { TaskLimits } from '../tasks/task-runner.ts'
import type { CacheOptions } from '../features/registry/caching.ts'
import type { OfferingExtension } from '../features/extensions.ts'
import type { ToolOptions } from '../features/tools/tool-types.ts'
import type { ServerEvents, ServerListener } from '../call/server-events.ts'
import type { CallTelemetry } from '../call/observation/telemetry.ts'
import type { ServerStats } from '../session/stats.ts'

/** The options of a server. All defaults are suitable for production. */
export interface ServerOptions<App = unknown> extends InjectedOptions {
  /**
   * Instructions that tell the model how to use the server. A function is called for each session and each
   * `server/discover`.
   */
  readonly instructions?: string | ((client: ClientView) => string | undefined | Promise<string | undefined>)
  /**
   * Called for the first client. Handlers receive the returned value as `ctx.app`. When the server closes, it
   * disposes of the value through `Symbol.asyncDispose` or `Symbol.dispose`.
   */
  readonly lifespan?: () => App | Promise<App>
  /**
   * How long clients may cache results of lists, reads and `server/discover`. Session revisions do not support
   * these hints.
   * @default not at all
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
   */
  readonly cache?: CacheOptions
  /**
   * Capabilities outside the protocol (`capabilities.experimental`): one object for each name, as plain JSON.
   * The objects are copied when the server is created. @default none
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation
   */
  readonly experimental?: Readonly<Record<string, object>>
  /**
   * Extensions of the protocol; see `defineExtension`.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
   * @default none
   */
  readonly extensions?: readonly OfferingExtension<NoInfer<App>, never>[]
  /**
   * The interval at which the server sends progress notifications for a silent handler, in ms, if the client
   * requested progress. These notifications restart the client's timer; the handler's own limits still apply.
   * Over HTTP, like all progress notifications, they turn the reply into a stream. `false` disables them.
   * @default 15_000
   */
  readonly progressHeartbeat?: number | false
  /**
   * Options for the encrypted state of a call while the client collects answers, in revisions in which the
   * answers are sent in a new request. Set `keys` if another process may continue the call.
   */
  readonly requestState?: RequestStateOptions
  /** Limits on calls, results and questions. */
  readonly limits?: LimitOptions
  /** Options for all tools. */
  readonly tools?: ToolOptions
  /**
   * The log level for clients that have not set one. With `false`, log messages are not sent to clients.
   *
   * @default { level: 'info' }
   */
  readonly logging?: false | { readonly level?: LogLevel }
  /** Options for tools with `taskSupport`. */
  readonly tasks?: TaskOptions
  /** The protocol revisions to serve. @default all revisions that Jetway supports */
  readonly revisions?: readonly RevisionDate[]
  /**
   * Called for every error that was hidden from the client, together with the reference that the client
   * received instead.
   */
  readonly onError?: (error: unknown, ctx: RequestContext, correlationId: string) => void
  /** A logger with the same methods as pino. @default warnings and errors go to stderr */
  readonly logger?: Logger
  /**
   * Stores that several processes share, for the bus, tasks, used states and the server's mounts. The `bus`
   * and `tasks.store` options override the respective store. The server closes the stores when it closes.
   * @default each process has its own stores
   */
  readonly shared?: SharedStores
  /** Observes calls, for traces and metrics: see `@jetway/otel`. @default none */
  readonly telemetry?: Telemetry
  /** Carries change events. If there are several nodes, they need a shared bus. @default an in-memory bus */
  readonly bus?: Bus
}

/** Options for tests. */
interface InjectedOptions {
  /** @internal */
  readonly clock?: Clock
  /** @internal */
  readonly random?: Random
}

/** The limits of a server. */
export interface LimitOptions extends Partial<SessionLimits> {
  /** Limits for the calls of all anonymous clients without sessions combined, per mount. */
  readonly anonymous?: Partial<AnonymousLimits>
  /**
   * The maximum number of open subscriptions (`subscriptions/listen`) per stdio or in-memory connection.
   *
   * @default 100
   */
  readonly subscriptions?: number
  /** The number of entries on each page of a list. @default all entries on one page */
  readonly pageSize?: number
  /**
   * The maximum size of a result as JSON, in bytes, at least 1024. A larger result is replaced by an error
   * that states its size: for a tool, a result with `isError`, otherwise JSON-RPC error `-32603`. The limit
   * also applies to errors, and to all responses to one batch combined. Jetway's client accepts lines of up
   * to 10 MiB.
   * @default 8_388_608
   */
  readonly maxResultBytes?: number
  /** The time after which a handler that reports no progress is ended, in ms. @default 60_000 */
  readonly handlerTimeoutMs?: number
  /** The time after which a handler is ended even if it reports progress, in ms. @default 300_000 */
  readonly maxHandlerTimeoutMs?: number
  /**
   * How long the client may take to answer one question, in ms. During this time, the handler's timer is stopped.
   * @default 600_000
   */
  readonly inputTimeoutMs?: number
  /** The maximum number of rounds of questions per call. @default 8 */
  readonly maxInputRounds?: number
}

export interface TaskOptions extends Partial<TaskLimits> {
  /**
   * The store for tasks. If there are several nodes, they need a shared store. @default an in-memory store for
   * 1_000 tasks and 64 MiB
   */
  readonly store?: TaskStore
}

/** The part of a server that its telemetry can see. */
export interface ObservedServer {
  on<Event extends keyof ServerEvents>(event: Event, listener: ServerListener<Event>): () => void
  stats(): ServerStats
  readonly runtime: { readonly shared: Pick<SharedStores, 'stats'> | undefined }
}

/** Observes a server, for traces and metrics. `@jetway/otel` provides an implementation for OpenTelemetry. */
export interface Telemetry extends CallTelemetry {
  /**
   * Called once for each server that uses this telemetry.
   *
   * @returns a function that is called when the server has closed
   */
  attach(server: ObservedServer): () => void
}
