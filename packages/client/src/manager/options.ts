import type { Clock } from '@jetway/core/stores'
import type { ClientHandlers } from '../features/questions.ts'
import type { ClientOptions, RequestOptions } from '../options.ts'
import type { ResourceCache } from '../resource-cache/resource-cache.ts'
import type { Spawn } from '../stdio/options.ts'
import type { Approve } from './approvals.ts'
import type { ReconnectOptions } from './backoff.ts'
import type { ToolFilter } from './tool-filter.ts'

/** Options of a `ClientManager`. */
export interface ClientManagerOptions {
  /** For the clients of all servers: limits, revisions, what is declared. */
  readonly client?: Omit<ClientOptions, 'name' | 'handlers' | 'clock'>
  /**
   * What answers the questions of all servers; `ctx.name` says whose. See `ClientManager.setHandlers`.
   */
  readonly handlers?: ClientHandlers
  /**
   * Asked before a process is started, before the manager calls a tool, and before a handler sees a form, an address to
   * open or a request to the host's model. Of what is done with a client of `ClientManager.get` it is not asked. It may take
   * its time; its signal aborts when nobody waits any more.
   *
   * @default everything is approved
   */
  readonly approve?: Approve
  /** Which tools of a server may be seen and called, by the name of the server. @default all of all servers */
  readonly filters?: Readonly<Record<string, ToolFilter>>
  /** How many servers may be connecting at the same time; the others wait for their turn. */
  readonly connecting?: {
    /** Processes. @default 2 */
    readonly stdio?: number
    /** All others. @default 5 */
    readonly remote?: number
  }
  /** How processes are started whose configuration does not say, for hosts that run servers elsewhere. @default cross-spawn */
  readonly spawn?: Spawn
  /** How a server that was lost is reconnected. */
  readonly reconnect?: ReconnectOptions
  /** Ms that a request waits for a server that is being reconnected. @default 30_000 */
  readonly waitMs?: number
  /** Ms that getting one whole list of one server may take. @default 30_000 */
  readonly listTimeoutMs?: number
  /** Servers that may be there at once. @default 256 */
  readonly maxServers?: number
  /**
   * The length that full names of tools may have, in characters; 40 or more. With it they are made of letters, digits, `_`
   * and `-` alone, as models' interfaces want them: 64 for most.
   *
   * @default full names are as long as they are
   */
  readonly maxNameLength?: number
  /** Where read resources are kept; false: nowhere. @default a `ResourceCache` with its defaults */
  readonly resources?: ResourceCache | false
  /**
   * Whom a server takes the host for: an account, a tenant. What was read for one is not given to another, unless the
   * server has said that it is public. Asked with every reading.
   *
   * @default one of its own for each manager
   */
  readonly partition?: (server: string) => string
  /** A server was given up for good; the event `mcp_server_removed` says why. What it throws is the event `mcp_error`. */
  readonly onServerRemoved?: (server: string) => void | Promise<void>
  /** @default the system's */
  readonly clock?: Clock
  /** From 0 to 1: what waits are shortened by. @default Math.random */
  readonly random?: () => number
}

/** Which tool of which server, and with what. */
export interface ToolCall {
  readonly server: string
  /** As the server names it. */
  readonly tool: string
  /** @default {} */
  readonly args?: Readonly<Record<string, unknown>>
}

/** One thing of one server: two may have the same names. */
export interface FromServer<Item> {
  readonly server: string
  readonly item: Item
}

/** What became of `connectAll`. */
export interface ConnectReport {
  /** How many servers are connected now that were not before. */
  readonly connected: number
  readonly errors: readonly { readonly server: string; readonly error: Error }[]
}

/** Limits of one reading; see `RequestOptions`. */
export type ReadOptions = Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTotalMs'>

export const MANAGER_DEFAULTS = {
  stdio: 2,
  remote: 5,
  waitMs: 30_000,
  listTimeoutMs: 30_000,
  maxServers: 256,
} as const
