import { type RedisServer, startRedis } from '@jetway-apps/test-support/redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RedisStores } from '../src/index.ts'
import { LIFETIME, sessionRecord } from './support/records.ts'
import { createStores } from './support/stores.ts'

const PRINCIPAL = 'alice@example.com'
const SESSION = 'session-id-1'
const ORIGIN = { node: 'node-1', kind: 'call', pending: [1, 'two'] } as const

async function start(): Promise<{ readonly server: RedisServer; readonly stores: RedisStores }> {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  return { server, stores: await createStores({ url: server.url }) }
}

/** Returns the lines of a reply, without the lines that give lengths. */
const linesOf = (reply: string): string[] =>
  reply.split('\r\n').filter((line) => line !== '' && !/^[*$+]/.test(line))

/** Uses every kind of store. */
async function useAll({ sessions, events, tasks, usedStates, nodes, bus }: RedisStores): Promise<void> {
  const record = sessionRecord(SESSION, PRINCIPAL)
  const version = await sessions.create(record, { ...LIFETIME, maxPerPrincipal: 10 })
  await sessions.replace({ ...record, logLevel: 'debug' }, version, LIFETIME.ttlMs)
  await sessions.get({ principal: PRINCIPAL, id: SESSION }, LIFETIME.ttlMs)
  const key = { principal: PRINCIPAL, session: SESSION, stream: 'stream-1' }
  const lease = await events.open(key, ORIGIN)
  await events.append(key, lease, [{ seq: 1, frame: 'one' }])
  await events.seize(key, lease.epoch, 'node-2')
  const now = Date.now()
  const task = { taskId: 'task-1', owner: PRINCIPAL, method: 'tools/call', revision: '1999-12-31' }
  await tasks.create({
    ...task,
    status: 'working',
    createdAt: now,
    updatedAt: now,
    ttlMs: 60_000,
    pollIntervalMs: 1_000,
  })
  await tasks.update(task, { status: 'completed', updatedAt: now, result: {} })
  await usedStates.take('nonce-1', now + 60_000, PRINCIPAL)
  bus.subscribe('changes', () => {})
  await nodes.join(() => {})
  await nodes.send(nodes.id, { to: 'itself' })
  await bus.publish('changes', { kind: 'tools' })
}

describe('the keys in Redis', () => {
  it('expire, except those of the bus, and do not reveal principals or ids', async () => {
    const { server, stores } = await start()
    await useAll(stores)
    const keys = linesOf(await server.command('KEYS', '*'))
    expect(keys.length).toBeGreaterThanOrEqual(12)
    const lasting: string[] = []
    for (const key of keys) {
      expect(key).toMatch(/^jw1:test-[0-9a-f]+:/)
      expect(key).not.toMatch(/alice|session-id|stream-1|task-1|nonce-1/)
      if ((await server.command('PTTL', key)).startsWith(':-1')) lasting.push(key.replace(/^jw1:[^:]+:/, ''))
    }
    expect(lasting).toEqual([expect.stringMatching(/^b:/)])
  })

  it('are deleted together with their session', async () => {
    const { server, stores } = await start()
    await stores.sessions.create(sessionRecord(SESSION, PRINCIPAL), { ...LIFETIME, maxPerPrincipal: 10 })
    for (const stream of ['a', 'b', 'c']) {
      const key = { principal: PRINCIPAL, session: SESSION, stream }
      await stores.events.append(key, await stores.events.open(key, ORIGIN), [{ seq: 1, frame: 'one' }])
    }
    await stores.sessions.delete({ principal: PRINCIPAL, id: SESSION })
    await stores.events.delete({ principal: PRINCIPAL, session: SESSION })
    expect(linesOf(await server.command('KEYS', '*'))).toEqual([])
  })
})

/** Returns how many commands a step sends, according to the statistics of Redis. A script counts as one command. */
async function commandsOf(server: RedisServer, step: () => unknown): Promise<number> {
  const count = async (): Promise<number> => {
    const stats = await server.command('INFO', 'commandstats')
    const calls = (name: RegExp): number =>
      [...stats.matchAll(name)].reduce((sum, [, number]) => sum + Number(number), 0)
    const scripts = calls(/cmdstat_evalsha:calls=(\d+)/g)
    return scripts + calls(/cmdstat_(?:get|getex|unlink|zrem|mget|xread):calls=(\d+)/g)
  }
  const before = await count()
  await step()
  return (await count()) - before
}

describe('Redis commands', () => {
  it('take one round trip to read a session or to append to a stream', async () => {
    const { server, stores } = await start()
    const { sessions, events } = stores
    const owner = { principal: '', id: SESSION }
    const record = sessionRecord(SESSION, '')
    let version = await sessions.create(record, LIFETIME)
    expect(await commandsOf(server, () => sessions.get(owner))).toBe(1)
    // Renewing a session also renews it in the index of its principal or of all anonymous clients.
    expect(await commandsOf(server, () => sessions.get(owner, LIFETIME.ttlMs))).toBe(2)
    const key = { principal: '', session: SESSION, stream: 'stream-1' }
    const lease = await events.open(key, ORIGIN)
    await events.append(key, lease, [{ seq: 1, frame: 'one' }])
    const append = async (): Promise<void> => {
      for (let seq = 2; seq <= 11; seq++) await events.append(key, lease, [{ seq, frame: 'x' }])
    }
    expect(await commandsOf(server, append)).toBe(10)
    expect(
      await commandsOf(server, () => events.read(key, { epoch: lease.epoch, seq: 0 })),
    ).toBeLessThanOrEqual(1)
    version = (await sessions.replace({ ...record, logLevel: 'debug' }, version, LIFETIME.ttlMs)) ?? ''
    // The commands are two scripts, and the GET inside one of them.
    expect(
      await commandsOf(server, () => sessions.replace(record, version, LIFETIME.ttlMs)),
    ).toBeLessThanOrEqual(3)
  })
})

describe('Redis memory', () => {
  const KIB = 1_024

  async function used(server: RedisServer): Promise<number> {
    return Number(/used_memory:(\d+)/.exec(await server.command('INFO', 'memory'))?.[1])
  }

  it.each([
    ['50 principals', (i: number) => `user-${i % 50}@example.com`, 100],
    ['anonymous clients', () => '', 10_000],
  ])('is at most 1.2 KiB per session of %s', async (_who, principalOf, maxPerPrincipal) => {
    const { server, stores } = await start()
    const before = await used(server)
    const count = 1_000
    for (let i = 0; i < count; i++)
      await stores.sessions.create(sessionRecord(`session-${i}`, principalOf(i)), {
        ...LIFETIME,
        maxPerPrincipal,
      })
    expect(((await used(server)) - before) / count).toBeLessThan(1.2 * KIB)
  })

  it.each(['principal:ann', 'session:1'])(
    "is at most 1.2 KiB per task of %s, in addition to the task's record",
    async (owner) => {
      const { server } = await start()
      const count = 1_000
      const limits = { tasks: { max: count, maxPerOwner: count } }
      const { tasks } = await createStores({ url: server.url }, limits)
      const before = await used(server)
      const now = Date.now()
      const times = { createdAt: now, updatedAt: now, ttlMs: 60_000, pollIntervalMs: 1_000 }
      let bytes = 0
      for (let i = 0; i < count; i++) {
        const task = { taskId: `task-${i}`, owner, method: 'tools/call', revision: '1999-12-31' }
        await tasks.create({ ...task, ...times, status: 'working' })
        const ended = await tasks.update(task, { status: 'completed', updatedAt: now, result: {} })
        bytes += JSON.stringify(ended).length
      }
      expect(((await used(server)) - before - bytes) / count).toBeLessThan(1.2 * KIB)
    },
  )

  // Redis reserves 4 KiB for the first events of a Redis Stream.
  it.each([
    [0, 0.5],
    [1, 5],
    [50, 5],
  ])(
    'for a stream of %i events, is at most %d KiB plus 1.5 times the size of the frames',
    async (events, kib) => {
      const { server, stores } = await start()
      const frame = 'x'.repeat(200)
      const count = 500
      // The first use loads the scripts, which then remain in Redis.
      await append('first', 1)
      const before = await used(server)
      for (let i = 0; i < count; i++) await append(`session-${i}`, events)
      const each = ((await used(server)) - before) / count
      expect(each - 1.5 * events * frame.length).toBeLessThan(kib * KIB)

      async function append(session: string, length: number): Promise<void> {
        const key = { principal: PRINCIPAL, session, stream: 'stream-1' }
        const lease = await stores.events.open(key, ORIGIN)
        const all = Array.from({ length }, (_, at) => ({ seq: at + 1, frame }))
        await stores.events.append(key, lease, all)
      }
    },
  )
})
