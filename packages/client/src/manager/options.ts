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

/** Options of a `ClientManager`. */
export interface ClientManagerOptions {
  /** Options of all clients. */
  readonly client?: Omit<ClientOptions, 'name' | 'handlers' | 'clock'>
  /** Handlers for all servers' requests. `ctx.name` is the server's name. See `ClientManager.setHandlers`. */
  readonly handlers?: ClientHandlers
  /**
   * Approves a process before it starts, a tool call, and a form, a URL or a request for the host's model
   * before its handler is called. It is not called for tool calls on the clients that `ClientManager.get`
   * returns.
   *
   * @default everything is approved
   */
  readonly approve?: Approve
  /** The tools to list and call, by server name. @default all */
  readonly filters?: Readonly<Record<string, ToolFilter>>
  /** The maximum number of servers that connect at a time. A server that takes more than 10 s counts no longer. */
  readonly maxConnecting?: {
    /** The maximum number of processes. @default 2 */
    readonly stdio?: number
    /** The maximum number of all other servers. @default 5 */
    readonly remote?: number
  }
  /** Starts the processes whose configuration has no `spawn`. @default `spawn` of `node:child_process` */
  readonly spawn?: Spawn
  readonly reconnect?: ReconnectOptions
  /** The maximum time in ms that a request waits for a reconnect. @default 30_000 */
  readonly reconnectWaitMs?: number
  /** The timeout for all pages of one list of one server, in ms. @default 30_000 */
  readonly listTimeoutMs?: number
  /** The maximum number of servers. @default 256 */
  readonly maxServers?: number
  /**
   * The maximum length of a tool's full name, at least 40. If set, full names contain only letters, digits,
   * `_` and `-`, as model APIs require. Most of them accept 64 characters.
   *
   * @default no limit
   */
  readonly maxNameLength?: number
  /** Caches resources; false disables it. @default a `ResourceCache` with its defaults */
  readonly resources?: ResourceCache | false
  /**
   * The account or tenant that the host uses on a server. Cached resources are not shared between partitions,
   * unless the server has marked them public.
   *
   * @default a partition for each manager
   */
  readonly partition?: (server: string) => string
  /** The clock for delays and timeouts. @default the system clock */
  readonly clock?: Clock
  /** Returns random numbers from 0 to 1 for the jitter. @default Math.random */
  readonly random?: () => number
}

/** A call by the server's name and the tool's own name. */
export interface ToolCall {
  readonly server: string
  readonly tool: string
  /** The arguments. @default {} */
  readonly args?: JsonObject
}

/** A prompt, resource or template, and its server. */
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
