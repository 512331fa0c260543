import { checkNames, type JsonObject, type OptionNames } from '@jetway/core/protocol'
import { type Clock, systemClock } from '@jetway/core/stores'
import type { ClientOptions, RequestOptions } from '../options/options.ts'
import { type ClientHandlers, HANDLERS } from '../options/handlers.ts'
import type { ResourceCache } from '../resource-cache/resource-cache.ts'
import type { Spawn } from '../stdio/options.ts'
import { withDefaults } from '../util/defaults.ts'
import type { Approve } from './approvals.ts'
import { RECONNECT_DEFAULTS, type ReconnectOptions, resolveReconnect } from './backoff.ts'
import type { ToolFilter } from './tool-filter.ts'
import { checkNameLength } from './tool-names.ts'

/** The options of a `ClientManager`. */
export interface ClientManagerOptions {
  /** Options of all clients. */
  readonly client?: Omit<ClientOptions, 'name' | 'handlers' | 'clock'>
  /** Handlers for all servers' requests. `ctx.name` is the server's name. See `ClientManager.setHandlers`. */
  readonly handlers?: ClientHandlers
  /**
   * Approves actions in advance: starting a process, calling a tool, and passing a form, a URL or a request for
   * the host's model to its handler. It is not called for tool calls on clients returned by
   * `ClientManager.get`.
   *
   * @default everything is approved
   */
  readonly approve?: Approve
  /** The tools to list and call, keyed by server name. @default all tools */
  readonly filters?: Readonly<Record<string, ToolFilter>>
  /** The maximum number of servers that connect at the same time. A server no longer counts after 10 s. */
  readonly maxConnecting?: {
    /** The maximum number of processes. @default 2 */
    readonly stdio?: number
    /** The maximum number of other servers. @default 5 */
    readonly remote?: number
  }
  /**
   * Starts the processes whose configuration does not set `spawn`. @default `spawn` from `node:child_process`
   */
  readonly spawn?: Spawn
  readonly reconnect?: ReconnectOptions
  /** The maximum time for which a request waits for a reconnect, in ms. @default 30_000 */
  readonly reconnectWaitMs?: number
  /** The timeout for fetching all pages of one of a server's lists, in ms. @default 30_000 */
  readonly listTimeoutMs?: number
  /** The maximum number of servers. @default 256 */
  readonly maxServers?: number
  /**
   * The maximum length of a tool's full name, at least 40. If set, full names contain only letters, digits, `_`
   * and `-`, as model APIs require. Most model APIs accept up to 64 characters.
   *
   * @default no limit
   */
  readonly maxNameLength?: number
  /**
   * The cache for resources. If false, resources are not cached. @default a `ResourceCache` with its defaults
   */
  readonly resources?: ResourceCache | false
  /**
   * Returns the account or tenant that the host uses on a server. Cached resources are not shared between
   * partitions, unless the server has marked them public.
   *
   * @default a partition for each manager
   */
  readonly partition?: (server: string) => string
  /** The clock for delays and timeouts. @default the system clock */
  readonly clock?: Clock
  /** Returns random numbers from 0 to 1 for the jitter. @default Math.random */
  readonly random?: () => number
}

/** A call, identified by the server's name and the tool's own name. */
export interface ToolCall {
  readonly server: string
  readonly tool: string
  /** The arguments. @default {} */
  readonly args?: JsonObject
}

/** A prompt, resource or template, together with its server. */
export interface ServerItem<Item> {
  readonly server: string
  readonly item: Item
}

/** The result of `connectAll`. */
export interface ConnectReport {
  /** The number of servers that are now connected. */
  readonly connected: number
  readonly errors: readonly { readonly server: string; readonly error: Error }[]
}

/** Options for reading a resource. */
export type ReadOptions = Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTotalMs'>

type Defaulted =
  | 'handlers'
  | 'filters'
  | 'reconnectWaitMs'
  | 'listTimeoutMs'
  | 'maxServers'
  | 'clock'
  | 'random'

const DEFAULTS: Required<Pick<ClientManagerOptions, Defaulted>> = {
  handlers: {},
  filters: {},
  reconnectWaitMs: 30_000,
  listTimeoutMs: 30_000,
  maxServers: 256,
  clock: systemClock,
  random: Math.random,
}

export type ResolvedManagerOptions = ClientManagerOptions &
  typeof DEFAULTS & { readonly reconnect: Required<ReconnectOptions> }

const NAMES: OptionNames<ClientManagerOptions> = {
  client: 1,
  handlers: HANDLERS,
  approve: 1,
  filters: 1,
  maxConnecting: { stdio: 1, remote: 1 },
  spawn: 1,
  reconnect: RECONNECT_DEFAULTS,
  reconnectWaitMs: 1,
  listTimeoutMs: 1,
  maxServers: 1,
  maxNameLength: 1,
  resources: 1,
  partition: 1,
  clock: 1,
  random: 1,
}

/** Fills in defaults. @throws RangeError for an invalid limit, UsageError `ERR_MCP_OPTION` for an unknown option */
export function resolveManagerOptions(options: ClientManagerOptions): ResolvedManagerOptions {
  checkNames(options, NAMES)
  checkNameLength(options.maxNameLength)
  return { ...withDefaults(options, DEFAULTS), reconnect: resolveReconnect(options.reconnect) }
}
