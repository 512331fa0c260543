import { FakeClock } from '@jetway-apps/test-support'
import { MemoryBus } from '../../../src/stores/bus.ts'
import { MemoryEventStore } from '../../../src/stores/memory-event-store.ts'
import type { NodeListener } from '../../../src/stores/nodes.ts'
import { MemoryNodes, MemorySessionStore } from '@jetway-apps/test-support/stores'
import { MemoryTaskStore } from '../../../src/stores/task-store.ts'
import { MemoryUsedStates } from '../../../src/stores/used-states.ts'
import type { SharedStores } from '../../../src/stores/shared-stores.ts'
import { createHarness, type Harness, type HarnessOptions, type TestSession } from './harness.ts'

/** One of several processes that share stores. */
export interface TestNode extends Harness {
  readonly id: string
  readonly shared: SharedStores
  /** Returns the number of calls to the shared stores that have not ended. */
  readonly uses: () => number
  /**
   * Stops the node without announcing it, so that the other nodes consider it stopped. Its calls continue, as
   * in a process that was only paused.
   */
  kill(): void
  /** Returns the same session, except that its client's requests are sent to this node. */
  at(session: TestSession): TestSession
}

export interface Cluster {
  readonly clock: FakeClock
  readonly sessions: MemorySessionStore
  readonly events: MemoryEventStore
  readonly tasks: MemoryTaskStore
  node(options?: HarnessOptions): TestNode
}

/** Makes a store asynchronous, like a store on a network. */
function remote<T extends object>(store: T): T {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        await Promise.resolve()
        return Reflect.apply(member, target, args)
      }
    },
  })
}

export function createCluster(): Cluster {
  const clock = new FakeClock()
  const sessions = new MemorySessionStore({ clock })
  const events = new MemoryEventStore({ clock })
  const tasks = new MemoryTaskStore({ clock })
  const usedStates = new MemoryUsedStates({ clock })
  const bus = new MemoryBus()
  const network = new Map<string, NodeListener>()
  return {
    clock,
    sessions,
    events,
    tasks,
    node: (options = {}) => {
      let uses = 0
      const nodes = new MemoryNodes({ network })
      const shared: SharedStores = {
        sessions: remote(sessions),
        events: remote(events),
        tasks: remote(tasks),
        usedStates: remote(usedStates),
        bus,
        nodes,
        acquire: () => {
          uses++
          return () => {
            uses--
          }
        },
      }
      const harness = createHarness({ ...options, server: { clock, shared, ...options.server } })
      return {
        ...harness,
        clock,
        id: nodes.id,
        shared,
        uses: () => uses,
        kill: () => void network.delete(nodes.id),
        at: (session) => harness.continue(session),
      }
    },
  }
}
