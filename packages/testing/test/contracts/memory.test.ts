import { MemoryNodes, MemorySessionStore } from '@jetway-apps/test-support/stores'
import {
  type Clock,
  MemoryBus,
  MemoryEventStore,
  MemoryTaskStore,
  MemoryUsedStates,
} from '@jetway/core/stores'
import {
  describeBus,
  describeEventStore,
  describeNodes,
  describeSessionStore,
  describeTaskStore,
  describeUsedStates,
} from '../../src/contracts/stores.ts'

function createClock(): { readonly clock: Clock; readonly pass: (ms: number) => Promise<void> } {
  let now = 1_700_000_000_000
  const clock: Clock = {
    now: () => now,
    setTimeout: () => {
      throw new Error('a memory store needs no timer')
    },
    clearTimeout: () => {},
  }
  return {
    clock,
    pass: async (ms) => {
      now += ms
    },
  }
}

describeBus('MemoryBus', () => ({ nodes: [new MemoryBus()], settled: async () => {} }))

describeSessionStore('MemorySessionStore', () => {
  const { clock, pass } = createClock()
  return { store: new MemorySessionStore({ clock }), pass }
})

describeEventStore('MemoryEventStore', (limits) => {
  const { clock, pass } = createClock()
  return { store: new MemoryEventStore({ ...limits, clock }), pass }
})

describeTaskStore('MemoryTaskStore', (limits) => {
  const { clock, pass } = createClock()
  return { store: new MemoryTaskStore({ ...limits, clock }), now: () => clock.now(), pass }
})

describeNodes('MemoryNodes', () => {
  const network = new Map()
  return { nodes: [new MemoryNodes({ network }), new MemoryNodes({ network })] }
})

describeUsedStates('MemoryUsedStates', (limits) => {
  const { clock } = createClock()
  return { nodes: [new MemoryUsedStates({ clock, ...limits })], now: () => clock.now() }
})
