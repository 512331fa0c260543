import type { RevisionDate } from '../protocol/revisions/revision.ts'
import type { LogLevel } from '../protocol/types.ts'
import type { Bus } from '../stores/bus.ts'
import type { Clock } from '../util/clock.ts'
import type { ClientView } from '../call/client-view.ts'
import type { RequestContext } from '../call/request-context.ts'
import type { Logger } from '../util/logger.ts'
import type { Random } from '../util/random.ts'
import type { RequestStateOptions } from '../call/input/request-state.ts'
import type { SessionLimits } from '../session/server-runtime.ts'
import type { TaskStore } from '../stores/task-store.ts'
import type { TaskLimits } from '../tasks/task-runner.ts'
import type { CacheOptions } from '../features/registry/caching.ts'
import type { OfferingExtension } from '../features/extensions.ts'
import type { ToolOptions } from '../features/tools/tool-types.ts'

/** Options of a server. Every default is meant for production. */
export interface ServerOptions<App = unknown> extends InjectedOptions {
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
  /**
   * Capabilities outside the protocol, sent to clients at the start of a session as
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
  /**
   * A call that was asked for progress and has reported none for this long gets a notification from the server, in ms,
   * again and again until it ends: clients start their request timers anew. Its handler's own limits do not move. On HTTP
   * it turns the reply into a stream, as all progress does. `false` turns it off. @default 15_000
   */
  readonly progressHeartbeat?: number | false
  /**
   * What a call knows while its client gathers answers, in revisions where they come with a new request. Only its keys
   * have to be given, and only where a call may go on in another process.
   */
  readonly requestState?: RequestStateOptions
  /** How much, how many and how long: calls, results, pages, handlers and questions. */
  readonly limits?: LimitOptions
  /** How tools are listed, and how their arguments and results are checked. */
  readonly tools?: ToolOptions
  /** What handlers may log to clients: `false` for nothing, else the level for a client that has chosen none. @default { level: 'info' } */
  readonly logging?: false | { readonly level?: LogLevel }
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
}

/** What tests replace. */
export interface InjectedOptions {
  /** @internal */
  readonly clock?: Clock
  /** @internal */
  readonly random?: Random
}

/** Bounds on what a server does. Each has a default. */
export interface LimitOptions extends Partial<SessionLimits> {
  /** The same for all anonymous clients of one mount together, where calls come without sessions. */
  readonly anonymous?: Partial<SessionLimits>
  /** Subscriptions (`subscriptions/listen`) that one connection, stdio or in memory, may have open. @default 100 */
  readonly subscriptions?: number
  /** Entries in one page of a list. @default all entries in one page */
  readonly pageSize?: number
  /**
   * Bytes of UTF-8 that a result may have as JSON, at least 1024. A larger one is answered with an error that names its
   * size: `isError` for a tool, JSON-RPC `-32603` elsewhere. The default stays below the 10 MiB at which clients give up
   * on a line. @default 8_388_608
   */
  readonly maxResultBytes?: number
  /** Ends a handler that shows no sign of life for this long, in ms. @default 60_000 */
  readonly handlerTimeoutMs?: number
  /** Ends a handler after this long whatever progress it reports, in ms. @default 300_000 */
  readonly maxHandlerTimeoutMs?: number
  /** How long a person or model may take over one question, in ms. The handler's time does not run meanwhile. @default 600_000 */
  readonly inputTimeoutMs?: number
  /** How often one call may come back with questions. @default 8 */
  readonly maxInputRounds?: number
}

/** Options of tasks. */
export interface TaskOptions extends Partial<TaskLimits> {
  /** Keeps the tasks, for other nodes too with a shared one. @default one in memory, of 1_000 tasks and 64 MiB */
  readonly store?: TaskStore
}
