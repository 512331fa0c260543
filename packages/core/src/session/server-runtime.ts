import type { Revision } from '../protocol/revisions/revision.ts'
import type { Implementation, LogLevel, ServerCapabilities } from '../protocol/types.ts'
import type { SchemaCache } from '../schema/cache/cache.ts'
import type { SchemaUse } from '../schema/types.ts'
import type { InputContext } from '../call/input/types.ts'
import type { Bus } from '../stores/bus.ts'
import type { Clock } from '../util/clock.ts'
import type { ClientView } from '../call/client-view.ts'
import type { Dispatcher } from '../call/dispatcher.ts'
import type { Events } from '../call/server-events.ts'
import type { ExtensionTable } from '../call/extension.ts'
import type { Logger } from '../util/logger.ts'
import type { Random } from '../util/random.ts'
import type { Gauges, MountStats, Refusals } from './stats.ts'

/** Something that serves clients and can be stopped: a mount or a connection. */
export interface Closable {
  /**
   * Takes no new work, lets running work finish within `deadline` ms, then ends what is left.
   * Safe to call again.
   *
   * @default deadline 10_000
   */
  close(options?: { readonly deadline?: number }): Promise<void>
  /** Resolves when everything has ended, however it came to that. */
  readonly closed: Promise<void>
}

/** The handle of a mount, to watch and to close it. */
export interface MountHandle extends Closable, AsyncDisposable {
  /** What it holds now, and what it has turned away. Costs a walk through its sessions. */
  stats(): MountStats
}

/** What a server asks of what it is mounted on. */
export interface ServerMount extends Closable {
  gauges(): Gauges
  /** False for what works for the server and serves nobody by itself, such as its tasks. */
  readonly isMount?: false
}

/** How a door sees the server that it serves. Holds nothing about any client. */
export interface ServerRuntime {
  readonly info: Implementation
  /** Newest first. */
  readonly revisions: readonly Revision[]
  readonly dispatcher: Dispatcher
  readonly bus: Bus
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly events: Events
  /** What was turned away on all of its mounts. */
  readonly refusals: Refusals
  readonly limits: ServerLimits
  /** What calls ask with that have no way back to their client while they run. */
  readonly input: InputContext | undefined
  /** What a session logs before the client has chosen a level; undefined where the server sends no logs. */
  readonly defaultLogLevel: LogLevel | undefined
  /** The parameter that `Mcp-Name` repeats, by the method that an extension has added. */
  readonly addedNames: ExtensionTable['names']
  /** What clients of a revision are told. */
  capabilities(revision: Revision): ServerCapabilities
  instructions(client: ClientView): string | undefined | Promise<string | undefined>
  /** What the server was given as its schemas. */
  readonly schemaCache: SchemaCache | undefined
  /** The schemas of all tools and prompts that are registered now, for a cache of them. */
  schemaUses(): readonly SchemaUse[]
  /** Opens the lifespan on first use; undefined when it is open or there is none. */
  ready(): Promise<void> | undefined
  /** What the lifespan opened. */
  app(): unknown
  /**
   * Counts a subscriber of a resource, for its author to know.
   *
   * @param own - what the subscribing session alone has
   * @returns what takes it away again; undefined where nobody wants to know
   */
  addSubscriber(uri: string, own: object | undefined): (() => void) | undefined
  /** Makes `server.close()` wait for it, and `server.stats()` count it. */
  attach(mount: ServerMount): void
}

/** Bounds on one session. */
export interface SessionLimits {
  /** Calls that run at once. @default 64 */
  readonly running: number
  /** Calls that run or wait; one more is answered "busy". @default 256 */
  readonly inFlight: number
}

/** Bounds on the calls of one session; where there are no sessions, of one principal on one mount. */
export interface ServerLimits extends SessionLimits {
  /**
   * Bounds on the calls of all anonymous clients together, on one mount that serves them without sessions: nothing tells
   * them apart. @default 1_024 running, 4_096 in flight
   */
  readonly anonymous: SessionLimits
  /**
   * Subscriptions (`subscriptions/listen`) that one connection, stdio or in memory, may have open; one more is answered
   * "busy". Mounts have a limit of their own. @default 100
   */
  readonly subscriptions: number
}

export const DEFAULT_LIMITS: ServerLimits = {
  running: 64,
  inFlight: 256,
  anonymous: { running: 1_024, inFlight: 4_096 },
  subscriptions: 100,
}
