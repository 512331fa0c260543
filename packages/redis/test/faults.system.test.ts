import {
  type RedisServer,
  startRedis,
  startRedisCluster,
  startRedisSentinels,
  startSlowProxy,
} from '@jetway-apps/test-support/redis'
import { inspect } from 'node:util'
import { settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Redis } from 'ioredis'
import {
  fromIoredis,
  redis,
  type RedisOptions,
  RedisReplyError,
  type RedisStores,
  RedisUnavailable,
} from '../src/index.ts'
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

/** Returns the error that a step causes, and checks that it came in time. */
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

describe('a Redis server that hangs', () => {
  it('makes commands fail within 1 s at first, and then immediately until Redis recovers', async () => {
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

  it('makes 10,000 concurrent commands fail, of which at most 2,000 wait for a reply', async () => {
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

  it('makes the bus keep its messages and deliver them later, in order and without duplicates', async () => {
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
    // The second 2 was merged with the first one, which was still waiting. The second 1 was not, because Redis may
    // already have stored the first one.
    expect(heard).toEqual([1, 2, 1, 3])
  })

  it('makes the bus resend messages that Redis may have stored, which still arrive once and in order', async () => {
    const server = await startServer()
    const [first, second] = await createTwo({ url: server.url })
    const heard: unknown[] = []
    let gaps = 0
    second.bus.subscribe(
      'changes',
      (message) => heard.push(message),
      () => gaps++,
    )
    await second.ready()
    let sent = 0
    const publish = (count: number): Promise<void | boolean>[] =>
      Array.from({ length: count }, async () => first.bus.publish('changes', ++sent))
    for (let round = 0; round < 3; round++) {
      expect(new Set(await Promise.all(publish(20)))).toEqual(new Set([true]))
      server.signal('SIGSTOP')
      // By the time Redis continues and reads these commands, they have been repeated.
      expect(new Set(await Promise.all(publish(20)))).toEqual(new Set([false]))
      server.signal('SIGCONT')
      const late = publish(20)
      await vi.waitFor(() => expect(heard).toHaveLength(sent), RECOVERY_MS)
      await Promise.all(late)
      await vi.waitFor(() => expect(first.stats().unsent).toBe(0), RECOVERY_MS)
    }
    expect(heard).toEqual(Array.from({ length: sent }, (_, i) => i + 1))
    expect(gaps).toBe(0)
  })

  it('makes the bus drop the oldest messages beyond a limit, and report a gap on other nodes', async () => {
    const server = await startServer()
    const [first, second] = await createTwo({ url: server.url })
    const heard: unknown[] = []
    second.bus.subscribe(
      'changes',
      (message) => heard.push(message),
      () => heard.push('gap'),
    )
    await second.ready()
    await first.bus.publish('changes', 'before')
    server.signal('SIGSTOP')
    expect(await first.bus.publish('changes', 'unknown')).toBe(false)
    for (let i = 0; i <= 2_000; i++) void first.bus.publish('changes', i)
    expect(first.stats().unsent).toBe(2_000)
    server.signal('SIGCONT')
    await vi.waitFor(() => expect(heard.at(-1)).toBe(2_000), RECOVERY_MS)
    const kept = Array.from({ length: 2_000 }, (_, i) => i + 1)
    expect(heard).toEqual(['before', 'unknown', 'gap', ...kept])
  })
})

describe('bus.ready', () => {
  it('resolves once later messages can no longer be missed', async () => {
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

  it('resolves during a long outage, after which the bus reports a gap', async () => {
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
    // With `everysec`, Redis delays a write while it flushes the previous one, so a kill would lose both.
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

  it('makes the bus report lost messages', async () => {
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

describe('a Redis server that is slow or resets connections', () => {
  it('makes commands fail within 1 s while it is slow', async () => {
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

describe('a Redis server that has become a replica', () => {
  it('is abandoned as soon as it refuses a write, even if it still replies to reads', async () => {
    const master = await startServer()
    const replica = await startServer('--replicaof', `127.0.0.1 ${master.port}`)
    const proxy = await startSlowProxy(master.port)
    onTestFinished(() => proxy.stop())
    const [first, second] = await createTwo({ url: proxy.url })
    await first.sessions.create(sessionRecord('session-1'), LIFETIME)
    const heard: unknown[] = []
    second.bus.subscribe('changes', (message) => heard.push(message))
    await second.ready()
    await vi.waitFor(async () => expect(await replica.command('DBSIZE')).toMatch(/^:[1-9]/))
    // A managed Redis moves the address to the new master, but keeps the connections to the former one.
    await replica.command('REPLICAOF', 'NO', 'ONE')
    // The former master does not receive what the new one stores, so a reader that stays connected would wait
    // forever. Redis now ends pending reads, and the readers reconnect.
    await master.command('REPLICAOF', '127.0.0.1', '1')
    await vi.waitFor(
      async () => expect((await master.command('CLIENT', 'LIST')).match(/cmd=xread/g)).toHaveLength(1),
      RECOVERY_MS,
    )
    proxy.moveTo(replica.port)
    const create = (): unknown => first.sessions.create(sessionRecord('session-2'), LIFETIME)
    expect(String(await failure(create))).toContain('READONLY')
    expect(first.stats().available).toBe(false)
    await vi.waitFor(async () => expect(await create()).toBeTypeOf('string'), RECOVERY_MS)
    expect(first.stats().available).toBe(true)
    await vi.waitFor(
      async () => expect(await second.bus.publish('changes', 'second has moved')).toBe(true),
      RECOVERY_MS,
    )
    await first.bus.publish('changes', 'first has moved')
    await vi.waitFor(() => expect(heard.at(-1)).toBe('first has moved'), RECOVERY_MS)
  })
})

describe('fromIoredis', () => {
  const clientOf = (
    port: number,
    credentials: { readonly username?: string; readonly password?: string } = {},
  ): Redis => {
    const client = new Redis(port, '127.0.0.1', {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 100,
      ...credentials,
    })
    onTestFinished(() => client.disconnect())
    return client
  }

  it('disconnects from a former master as soon as that master refuses a write', async () => {
    const master = await startServer()
    const replica = await startServer('--replicaof', `127.0.0.1 ${master.port}`)
    const proxy = await startSlowProxy(master.port)
    onTestFinished(() => proxy.stop())
    const client = clientOf(Number(new URL(proxy.url).port))
    await vi.waitFor(() => expect(client.status).toBe('ready'))
    const stores = await createStores({ connection: fromIoredis(client) })
    await stores.sessions.create(sessionRecord('session-1'), LIFETIME)
    await vi.waitFor(async () => expect(await replica.command('DBSIZE')).toMatch(/^:[1-9]/))
    await replica.command('REPLICAOF', 'NO', 'ONE')
    await master.command('REPLICAOF', '127.0.0.1', '1')
    proxy.moveTo(replica.port)
    const create = (): unknown => stores.sessions.create(sessionRecord('session-2'), LIFETIME)
    expect(String(await failure(create))).toContain('READONLY')
    await vi.waitFor(async () => expect(await create()).toBeTypeOf('string'), RECOVERY_MS)
    expect(await read(stores)).toBeDefined()
  })

  it('names the address and the reason if Redis rejects the password', async () => {
    const server = await startServer()
    await server.command('CONFIG', 'SET', 'requirepass', 'right')
    const client = clientOf(server.port, { username: 'ann', password: 'topsecret' })
    const stores = redis({ connection: fromIoredis(client), namespace: 'test', logger: silent })
    onTestFinished(stores.acquire())
    const problem = new RegExp(`Redis at 127.0.0.1:${server.port} .*: WRONGPASS`)
    await vi.waitFor(async () => expect(String(await failure(() => read(stores)))).toMatch(problem))
    expect(String(await failure(() => read(stores)))).not.toContain('topsecret')
  })
})

describe('a Redis server that fails', () => {
  const open = (url: string, options: Partial<RedisOptions> = {}): RedisStores => {
    const stores = redis({ url, namespace: 'test', logger: silent, ...options })
    onTestFinished(stores.acquire())
    return stores
  }

  it('leads to an error with its address and the reason, but without the password', async () => {
    const server = await startServer()
    await server.command('CONFIG', 'SET', 'requirepass', 'right')
    const url = `redis://ann:topsecret@127.0.0.1:${server.port}`
    const lines: (readonly [fields: Readonly<Record<string, unknown>>, text: string])[] = []
    const note = (fields: object, text: string): void => void lines.push([{ ...fields }, text])
    const stores = open(url, { logger: { debug: note, info: note, warn: note, error: note } })
    const problem = new RegExp(`Redis at 127.0.0.1:${server.port} did not reply within .*: WRONGPASS`)
    await expect(stores.ready()).rejects.toThrow(problem)
    for (let i = 0; i < 5; i++) expect(String(await failure(() => read(stores)))).toMatch(problem)
    const [fields] = lines.find(([, text]) => text.startsWith('Redis does not serve commands')) ?? []
    expect(fields?.['redis']).toBe(`127.0.0.1:${server.port}`)
    expect(String(fields?.['err'])).toMatch(problem)
    expect(inspect(lines, { depth: 9 })).not.toContain('topsecret')
  })

  it('causes an error with ECONNREFUSED if nothing listens on its address', async () => {
    const server = await startServer()
    await server.kill()
    const stores = open(server.url)
    const problem = new RegExp(`Redis at 127.0.0.1:${server.port} did not reply .*ECONNREFUSED`)
    await expect(stores.ready()).rejects.toThrow(problem)
    expect(String(await failure(() => read(stores)))).toMatch(problem)
    await server.restart()
    await vi.waitFor(async () => expect(await read(stores)).toBeUndefined(), RECOVERY_MS)
  })

  it('receives no connections from closed stores until the stores are acquired again', async () => {
    const server = await startServer()
    const stores = redis({ url: server.url, namespace: 'test', logger: silent })
    const release = stores.acquire()
    await stores.ready()
    server.signal('SIGSTOP')
    const pending = failure(() => read(stores))
    await release()
    expect(await pending).toBeInstanceOf(Error)
    expect(String(await failure(() => read(stores)))).toContain('closed')
    server.signal('SIGCONT')
    const clients = async (): Promise<number> =>
      (await server.command('CLIENT', 'LIST')).split('\n').filter((line) => /\bid=/.test(line)).length
    // The only client left is the one that sends this command.
    await vi.waitFor(async () => expect(await clients()).toBe(1))
    expect(String(await failure(() => read(stores)))).toContain('closed')
    expect(await clients()).toBe(1)
    const again = stores.acquire()
    expect(await read(stores)).toBeUndefined()
    await again()
  })
})

describe('a Redis server that is out of memory', () => {
  it('rejects writes but allows reads until it has memory again', async () => {
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
  it('still serves the keys on other nodes while one node hangs', async () => {
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
    // In the second round, the circuit is open, but only for the node that hangs.
    for (let round = 0; round < 2; round++) {
      const count = await served()
      expect(count).toBeGreaterThan(5)
      expect(count).toBeLessThan(ids.length)
    }
    servers[0]?.signal('SIGCONT')
    await vi.waitFor(async () => expect(await served()).toBe(ids.length), RECOVERY_MS)
  })
})
