import { type RedisServer, startRedis, startRedisCluster } from '@jetway-apps/test-support/redis'
import {
  describeBus,
  describeEventStore,
  describeNodes,
  describeSessionStore,
  describeTaskStore,
  describeUsedStates,
} from '@jetway/testing/stores'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Bus, Nodes } from '@jetway/core/stores'
import { type Address, createNodes, createStores } from './support/stores.ts'

/** The time of Redis cannot be set, so it has to pass. */
const pass = (ms: number): Promise<void> => delay(ms).then(() => {})

function describeStores(name: string, address: () => Address): void {
  describeSessionStore(name, () => ({ store: createStores(address()).sessions, pass }))
  describeEventStore(name, (events) => ({ store: createStores(address(), { events }).events, pass }))
  describeTaskStore(
    name,
    (tasks) => ({ store: createStores(address(), { tasks }).tasks, now: Date.now, pass }),
    {
      ttlMs: 2_000,
    },
  )
  describeUsedStates(name, () => {
    const [first, second] = createNodes(address(), 2).map(({ usedStates }) => usedStates)
    if (first === undefined || second === undefined) throw new Error('Two nodes are needed')
    return { nodes: [first, second], now: Date.now }
  })
  describeNodes(name, () => ({
    nodes: createNodes(address(), 2).map(({ nodes }) => nodes) as [Nodes, Nodes],
  }))
  describeBus(name, async () => {
    const stores = createNodes(address(), 2)
    const [first, last] = stores.map(({ bus }) => bus) as [Bus, Bus]
    let arrived = (): void => {}
    last.subscribe('settled', () => arrived())
    await Promise.all(stores.map((one) => one.ready()))
    const settled = async (): Promise<void> => {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve
      })
      await first.publish('settled', null)
      await arrival
    }
    return { nodes: [first, last], settled }
  })
}

describe('one Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())
  describeStores('in Redis', () => ({ url: server.url }))
})

describe('a Redis Cluster', () => {
  let servers: readonly RedisServer[]
  beforeAll(async () => {
    servers = await startRedisCluster()
  })
  afterAll(() => Promise.all(servers.map((server) => server.stop())))
  describeStores('in a Redis Cluster', () => ({ cluster: servers.map(({ url }) => url) }))
})
