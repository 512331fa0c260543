import type { Awaitable } from '../util/promises.ts'
import type { Bus } from './bus.ts'
import type { EventStore } from './event-store.ts'
import type { Nodes } from './nodes.ts'
import type { SessionStore } from './session-store.ts'
import type { TaskStore } from './task-store.ts'
import type { UsedStates } from './used-states.ts'

/**
 * The stores that the processes of one deployment share, for the `shared` option of servers and mounts. Every
 * process can then continue the sessions, streams and tasks of every other process.
 */
export interface SharedStores {
  readonly sessions: SessionStore
  readonly events: EventStore
  readonly tasks: TaskStore
  readonly bus: Bus
  readonly nodes: Nodes
  readonly usedStates: UsedStates
  /**
   * Returns the bus and the tasks for servers with this name. Servers with other names do not receive their
   * changes, and cannot find their tasks. Omitted if all servers that share the stores have the same name.
   */
  forServer?(name: string): Pick<SharedStores, 'bus' | 'tasks'>
  /**
   * Called by each server and mount before it uses the stores. The returned function releases them. When the
   * last user releases the stores, they are closed; a later call opens them again.
   */
  acquire(): () => Awaitable<void>
  /** Returns metrics for this process. */
  stats?(): SharedStats
}

/** Metrics of the shared stores in one process. */
export interface SharedStats {
  /** Whether the store replies, as far as this process knows. */
  readonly available: boolean
  /** The number of commands that are waiting for a reply. */
  readonly inFlight: number
  /** The number of messages on the bus that are waiting for the store. */
  readonly unsent: number
}
