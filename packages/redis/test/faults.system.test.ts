import {
  type RedisServer,
  startRedis,
  startRedisCluster,
  startRedisSentinels,
  startSlowProxy,
} from '@jetway-apps/test-support/redis'
import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RedisReplyError, type RedisStores, RedisUnavailable } from '../src/index.ts'
import { LIFETIME, sessionRecord } from './support/records.ts'
import { createStores, createTwo, newTwo } from './support/stores.ts'

/** How long a store may take to report a failure, in ms. */
const FAILURE_MS = 1_000
/** How long the stores may take to recover after Redis does, in ms. */
const RECOVERY_MS = 5_000

async function startServer(...options: readonly string[]): Promise<RedisServer> {
  const server = await startRedis(...options)
  onTestFinished(() => server.stop())
  return server
}

/** Returns the error of a step, and checks that it came in time. */
async function failure(step: () => unknown): Promise<unknown> {
  const start = performance.now()
  const outcome = await Promise.resolve()
    .then(step)
    .then(
      () => 'no failure',
      (error: unknown) => error,
    )
  expect(performance.now() - start).toBeLessThan(FAILURE_MS)
  return outcome
}

const read = ({ sessions }: RedisStores, id = 'session-1'): unknown =>
  sessions.get({ principal: 'alice', id })

/** Checks that every store rejects in time. */
async function expectUnavailable(stores: RedisStores): Promise<void> {
  const { sessions, events, tasks, usedStates, nodes } = stores
  const key = { principal: 'alice', session: 'session-1', stream: 'stream-1' }
  for (const step of [
    () => read(stores),
    () => sessions.create(sessionRecord('session-2'), LIFETIME),
    () => events.read(key, { epoch: 'epoch', seq: 0 }),
    () => tasks.get({ owner: 'alice', taskId: 'task-1' }),
    () => usedStates.take('nonce', Date.now() + 60_000, 'alice'),
    () => nodes.send('node', {}),
  ])
    expect(await failure(step)).toBeInstanceOf(Error)
}

async function expectRecovery(stores: RedisStores): Promise<void> {
  await vi.waitFor(async () => expect(await read(stores)).toBeDefined(), RECOVERY_MS)
}

async function storesWithSession(...args: Parameters<typeof createStores>): Promise<RedisStores> {
  const stores = await createStores(...args)
  await stores.sessions.create(sessionRecord('session-1'), LIFETIME)
  return stores
}

describe('a Redis that hangs', () => {
  it('causes commands to fail within 1 s at first, and then at once until Redis recovers', async () => {
    const server = await startServer()
    const stores = await storesWithSession({ url: server.url })
    server.signal('SIGSTOP')
    await expectUnavailable(stores)
    const refused = performance.now()
    expect(await failure(() => read(stores))).toBeInstanceOf(RedisUnavailable)
    expect(performance.now() - refused).toBeLessThan(400)
    expect(stores.stats().available).toBe(false)
    server.signal('SIGCONT')
    await expectRecovery(stores)
    expect(stores.stats()).toMatchObject({ available: true })
    await vi.waitFor(() => expect(stores.stats().inFlight).toBe(0))
  })

  it('lets at most 2,000 of 10,000 commands wait, and causes all 10,000 to fail', async () => {
    const server = await startServer()
    const stores = await storesWithSession({ url: server.url })
    server.signal('SIGSTOP')
    const failures = Array.from({ length: 10_000 }, async () => read(stores))
    const settling = Promise.allSettled(failures)
    await settled()
    expect(stores.stats().inFlight).toBe(2_000)
    const errors = (await settling).map((result) =>
      result.status === 'rejected' ? result.reason : undefined,
    )
    expect(errors.every((error) => error instanceof RedisUnavailable)).toBe(true)
    server.signal('SIGCONT')
    await expectRecovery(stores)
    await vi.waitFor(() => expect(stores.stats().inFlight).toBe(0))
  })

  it('makes the bus keep messages and deliver them later, in order and without duplicates', async () => {
    const server = await startServer()
    const [first, second] = await createTwo({ url: server.url })
    const heard: unknown[] = []
    second.bus.subscribe('changes', (message) => heard.push(message))
    await second.ready()
    server.signal('SIGSTOP')
    for (const message of [1, 2, 2, 1, 3]) await first.bus.publish('changes', message)
    expect(heard).toEqual([])
    server.signal('SIGCONT')
    await vi.waitFor(() => expect(heard.at(-1)).toBe(3), RECOVERY_MS)
    // Redis may have executed the first command although its reply came too late.
    expect(heard.filter((message, at) => message !== heard[at - 1])).toEqual([1, 2, 3])
  })
})

describe('bus.ready', () => {
  it('resolves when no later message can be missed', async () => {
    const server = await startServer()
    for (let round = 0; round < 10; round++) {
      const [first, second] = newTwo({ url: server.url })
      const heard: unknown[] = []
      second.bus.subscribe('changes', (message) => heard.push(message))
      await second.bus.ready?.()
      await first.bus.publish('changes', round)
      await vi.waitFor(() => expect(heard).toEqual([round]))
    }
  })

  it('gives up during a long outage, and the bus later reports a gap', async () => {
    const server = await startServer()
    const [, second] = newTwo({ url: server.url })
    server.signal('SIGSTOP')
    let gaps = 0
    second.bus.subscribe(
      'changes',
      () => {},
      () => gaps++,
    )
    await second.bus.ready?.()
    expect(gaps).toBe(0)
    server.signal('SIGCONT')
    await vi.waitFor(() => expect(gaps).toBe(1))
  })
})

describe('a Redis restart', () => {
  it('leaves sessions and streams complete and usable', async () => {
    // With `everysec`, Redis delays a write while it flushes the one before. A kill would then lose both.
    const server = await startServer('--appendonly', 'yes', '--appendfsync', 'always')
    const stores = await storesWithSession({ url: server.url })
    const key = { principal: 'alice', session: 'session-1', stream: 'stream-1' }
    const lease = stores.events.open(key, { node: 'node-1', kind: 'call', pending: [1] })
    const { epoch } = await lease
    expect((await stores.events.append(key, await lease, [{ seq: 1, frame: 'one' }])).state).toBe('kept')
    await server.kill()
    await expectUnavailable(stores)
    await server.restart()
    await expectRecovery(stores)
    expect((await stores.events.read(key, { epoch, seq: 0 }))?.events).toEqual([{ seq: 1, frame: 'one' }])
    expect((await stores.events.append(key, await lease, [{ seq: 2, frame: 'two' }])).state).toBe('kept')
  })

  it('gives nodes time to reconnect before others declare them dead', async () => {
    const server = await startServer()
    const [first, second] = await createTwo({ url: server.url })
    const inbox: unknown[] = []
    await first.nodes.join(() => {})
    await second.nodes.join((message) => inbox.push(message))
    await server.kill()
    expect(await first.nodes.alive([second.nodes.id])).toEqual([true])
    await server.restart()
    await vi.waitFor(
      async () => expect(await first.nodes.send(second.nodes.id, { n: 1 })).toBe(true),
      RECOVERY_MS,
    )
    expect(await first.nodes.alive([second.nodes.id, 'never-there'])).toEqual([true, true])
    await vi.waitFor(() => expect(inbox).toEqual([{ n: 1 }]))
  })

  it('causes the bus to report that messages were lost', async () => {
    const server = await startServer()
    const [first, second] = await createTwo({ url: server.url })
    let gaps = 0
    second.bus.subscribe(
      'changes',
      () => {},
      () => gaps++,
    )
    await second.ready()
    let arrived = false
    second.bus.subscribe('marker', () => (arrived = true))
    await first.bus.publish('marker', null)
    await vi.waitFor(() => expect(arrived).toBe(true))
    expect(gaps).toBe(0)
    await server.kill()
    await server.restart()
    await vi.waitFor(() => expect(gaps).toBe(1))
  })
})

describe('a Redis that is slow or resets connections', () => {
  it('causes commands to fail within 1 s while it is slow', async () => {
    const server = await startServer()
    const proxy = await startSlowProxy(server.port)
    onTestFinished(() => proxy.stop())
    const stores = await storesWithSession({ url: proxy.url })
    proxy.delay(2_000)
    await expectUnavailable(stores)
    proxy.delay(0)
    await expectRecovery(stores)
  })

  it('executes commands again after each of five connection resets', async () => {
    const server = await startServer()
    const proxy = await startSlowProxy(server.port)
    onTestFinished(() => proxy.stop())
    const stores = await storesWithSession({ url: proxy.url })
    for (let i = 0; i < 5; i++) {
      proxy.reset()
      await expectRecovery(stores)
    }
  })
})

describe('a Redis out of memory', () => {
  it('refuses writes but allows reads until it has memory again', async () => {
    const server = await startServer()
    const stores = await storesWithSession({ url: server.url })
    await server.command('CONFIG', 'SET', 'maxmemory', '1')
    const create = (): unknown => stores.sessions.create(sessionRecord('session-2'), LIFETIME)
    expect(await failure(create)).toBeInstanceOf(RedisReplyError)
    expect(await read(stores)).toBeDefined()
    await server.command('CONFIG', 'SET', 'maxmemory', '0')
    expect(await create()).toBeTypeOf('string')
  })
})

describe('Redis Sentinel', () => {
  it('connects to the new master after a failover', async () => {
    const sentinels = await startRedisSentinels()
    onTestFinished(() => sentinels.stop())
    const stores = await storesWithSession({ sentinel: { name: sentinels.name, urls: sentinels.urls } })
    const [master, replica] = sentinels.data
    await vi.waitFor(async () => expect(await replica?.command('DBSIZE')).toMatch(/^:[1-9]/))
    await master?.kill()
    expect(await failure(() => read(stores))).toBeInstanceOf(Error)
    await vi.waitFor(async () => expect(await sentinels.master()).toBe(replica?.port))
    await expectRecovery(stores)
    await stores.sessions.create(sessionRecord('session-2'), LIFETIME)
  })
})

describe('a Redis Cluster', () => {
  it('serves keys of the other nodes while one node hangs', async () => {
    const servers = await startRedisCluster()
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    const stores = await createStores({ cluster: servers.map(({ url }) => url) })
    const ids = Array.from({ length: 30 }, (_, i) => `session-${i}`)
    await Promise.all(ids.map(async (id) => stores.sessions.create(sessionRecord(id, ''), LIFETIME)))
    const served = async (): Promise<number> => {
      const results = await Promise.allSettled(
        ids.map(async (id) => stores.sessions.get({ principal: '', id })),
      )
      return results.filter(({ status }) => status === 'fulfilled').length
    }
    expect(await served()).toBe(ids.length)
    servers[0]?.signal('SIGSTOP')
    // In the second round the circuit is open, but only for the node that hangs.
    for (let round = 0; round < 2; round++) {
      const count = await served()
      expect(count).toBeGreaterThan(5)
      expect(count).toBeLessThan(ids.length)
    }
    servers[0]?.signal('SIGCONT')
    await vi.waitFor(async () => expect(await served()).toBe(ids.length), RECOVERY_MS)
  })
})
