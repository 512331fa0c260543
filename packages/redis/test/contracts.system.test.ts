import { type RedisServer, startRedis, startRedisCluster } from '@jetway-apps/test-support/redis'
import {
  type CreateTaskStore,
  describeBus,
  describeEventStore,
  describeNodes,
  describeSessionStore,
  describeTaskStore,
  describeUsedStates,
} from '@jetway/testing/stores'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe } from 'vitest'
import { fromIoredis } from '../src/index.ts'
import { type Address, createStores, createTwo } from './support/stores.ts'

/** Waits in real time, because the clock of Redis cannot be set. */
const pass = (ms: number): Promise<void> => delay(ms).then(() => {})

function describeStores(name: string, address: () => Address): void {
  describeSessions(name, address)
  describeMessages(name, address)
  describeEventStore(name, async (events) => ({
    store: (await createStores(address(), { events })).events,
    pass,
  }))
  const createTasks: CreateTaskStore = async (tasks) => ({
    store: (await createStores(address(), { tasks })).tasks,
    now: Date.now,
    pass,
  })
  describeTaskStore(name, createTasks, { ttlMs: 2_000 })
  describeUsedStates(name, async (limits) => {
    const usedStates = limits === undefined ? {} : { maxPerPrincipal: limits.max }
    const [first, second] = await createTwo(address(), { usedStates })
    return { nodes: [first.usedStates, second.usedStates], now: Date.now }
  })
}

function describeSessions(name: string, address: () => Address): void {
  describeSessionStore(name, async () => ({ store: (await createStores(address())).sessions, pass }))
}

function describeMessages(name: string, address: () => Address): void {
  describeNodes(name, async () => {
    const [first, second] = await createTwo(address())
    return { nodes: [first.nodes, second.nodes] }
  })
  describeBus(name, async () => {
    const [first, second] = await createTwo(address())
    let arrived = (): void => {}
    second.bus.subscribe('settled', () => arrived())
    // From here on, no message can be missed.
    await second.ready()
    const settled = async (): Promise<void> => {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve
      })
      await first.bus.publish('settled', null)
      await arrival
    }
    return { nodes: [first.bus, second.bus], settled }
  })
}

describe('a single Redis server', () => {
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

describe('an ioredis client', () => {
  let server: RedisServer
  let client: Redis
  beforeAll(async () => {
    server = await startRedis()
    client = new Redis(server.port, '127.0.0.1', { maxRetriesPerRequest: 0 })
  })
  afterAll(async () => {
    client.disconnect()
    await server.stop()
  })
  describeSessions('through ioredis', () => ({ connection: fromIoredis(client) }))
  describeMessages('through ioredis', () => ({ connection: fromIoredis(client) }))
})
