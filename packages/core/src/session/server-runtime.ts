import type { Revision } from '../protocol/revisions/revision.ts'
import type { Implementation, LogLevel, ServerCapabilities } from '../protocol/types.ts'
import type { InputContext } from '../call/input/ask.ts'
import type { Bus, ChangeEvent } from '../stores/bus.ts'
import type { SharedStores } from '../stores/shared-stores.ts'
import type { Clock } from '../util/clock.ts'
import type { CallObservers } from '../call/observation/call-observers.ts'
import type { ClientView } from '../call/request-context.ts'
import type { Dispatcher } from '../call/dispatcher.ts'
import type { Events } from '../call/server-events.ts'
import type { ExtensionTable } from '../call/extension.ts'
import type { Logger } from '../util/logger.ts'
import type { Random } from '../util/random.ts'
import type { Gauges, MountStats, Refusals } from './stats.ts'

/** A mount or connection that serves clients and can be closed. */
export interface Closable {
  /**
   * Refuses new work, waits up to `deadline` ms for running work, and then ends whatever is left with an error.
   * Can be called repeatedly.
   *
   * @default deadline 10_000
   */
  close(options?: { readonly deadline?: number }): Promise<void>
  /** Resolves when everything has ended, for any reason. */
  readonly closed: Promise<void>
}

/** A handle for a mount. */
export interface MountHandle extends Closable, AsyncDisposable {
  /** Returns the number of open sessions, streams and calls, and of refusals. Visits every session. */
  stats(): MountStats
}

/** The part of a mount that its server uses. */
export interface ServerMount extends Closable {
  gauges(): Gauges
  /** False for parts that do not serve clients themselves, such as tasks. */
  readonly isMount?: false
}

/** The part of a server that transports use. It contains no client state. */
export interface ServerRuntime {
  readonly info: Implementation
  /** The served revisions, newest first. */
  readonly revisions: readonly Revision[]
  readonly dispatcher: Dispatcher
  readonly bus: Bus
  /** Calls the listener after each change. Returns a function that removes the listener. */
  onChange(listener: (event: ChangeEvent) => void): () => void
  /** Undefined if the server runs in a single process. */
  readonly shared: SharedStores | undefined
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly events: Events
  /** Undefined unless the `telemetry` option is set. */
  readonly observers: CallObservers | undefined
  /** Counts the refusals on all mounts. */
  readonly refusals: Refusals
  readonly limits: ServerLimits
  /** The maximum size of one result, and of all responses to one batch, as JSON in bytes. */
  readonly maxResultBytes: number
  /** The input context for calls that cannot send requests to their client. */
  readonly input: InputContext | undefined
  /** The log level until the client sets one; undefined if the server does not send log messages. */
  readonly defaultLogLevel: LogLevel | undefined
  /** The parameter that the `Mcp-Name` header repeats, keyed by the extension's method. */
  readonly addedNames: ExtensionTable['names']
  /** The notifications of extensions, keyed by extension id. */
  readonly notices: ExtensionTable['notices']
  capabilities(revision: Revision): ServerCapabilities
  instructions(client: ClientView): string | undefined | Promise<string | undefined>
  /** Opens the lifespan on first use. Returns undefined if it is already open, or if there is none. */
  ready(): Promise<void> | undefined
  app(): unknown
  /**
   * Counts a subscriber to a resource, so that the resource's hooks can run.
   *
   * @param own - definitions that are registered only for the subscriber's session
   * @returns a function that removes the subscriber; undefined if the resource has no hooks
   */
  addSubscriber(uri: string, own: object | undefined): (() => void) | undefined
  /** Receives this server's events in this process, for the servers that contain it. */
  readonly listeners: Set<(event: ChangeEvent) => void>
  /** Whether this is the server with that runtime, or contains its definitions. */
  contains(runtime: object): boolean
  /** Adds a mount. `server.close()` closes it, and `server.stats()` counts it. */
  attach(mount: ServerMount): void
}

/** Limits per session. */
export interface SessionLimits {
  /** The maximum number of calls that run at the same time. @default 64 */
  readonly running: number
  /** The maximum number of running and queued calls. Further calls receive a "busy" error. @default 256 */
  readonly inFlight: number
}

/** Limits for the calls of all anonymous clients, counted together. */
export interface AnonymousLimits {
  /** The maximum number of calls that run at the same time. @default 1_024 */
  readonly running: number
  /** The maximum number of running and queued calls. Further calls receive a "busy" error. @default 4_096 */
  readonly inFlight: number
}

/** Limits on calls per session or, on a mount without sessions, per principal. */
export interface ServerLimits extends SessionLimits {
  /**
   * Limits for the calls of all anonymous clients, counted together, on a mount without sessions, where
   * anonymous clients cannot be distinguished.
   */
  readonly anonymous: AnonymousLimits
  /**
   * The maximum number of open subscriptions (`subscriptions/listen`) per stdio or in-memory connection.
   * Further subscriptions receive a "busy" error. For HTTP mounts, use the mount's `limits.subscriptions`
   * option. @default 100
   */
  readonly subscriptions: number
}

export const DEFAULT_MAX_RESULT_BYTES: number = 8 * 1024 * 1024

export const DEFAULT_LIMITS: ServerLimits = {
  running: 64,
  inFlight: 256,
  anonymous: { running: 1_024, inFlight: 4_096 },
  subscriptions: 100,
}
