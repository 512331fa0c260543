import { ping, request } from '@jetway-apps/test-support'
import { type RedisServer, startRedis } from '@jetway-apps/test-support/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServedProcess, serve } from './support/process.ts'
import { LIFETIME, sessionRecord } from './support/records.ts'
import { createStores, createTwo } from './support/stores.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.stop())

async function keysLike(pattern: string): Promise<number> {
  return Number(/^\*(\d+)/.exec(await redis.command('KEYS', pattern))?.[1])
}

describe('sessions.max', () => {
  it('limits anonymous sessions across all processes, and ends the session that expires first', async () => {
    const max = 20
    const stores = await createTwo({ url: redis.url })
    const [first, second] = stores.map((shared) => serve(shared, { sessions: { max } })) as [
      ServedProcess,
      ServedProcess,
    ]
    const old = await first.open()
    const capabilities = { experimental: { large: 'x'.repeat(15_000) } }
    const opened: Readonly<Record<string, string>>[] = []
    for (let i = 0; i < 5 * max; i++)
      opened.push(await (i % 2 === 0 ? first : second).begin({}, capabilities))
    expect(await keysLike('*:s:*')).toBe(max)
    const status = async (session = {}): Promise<number> => (await second.post(ping(), session)).status
    expect([await status(opened[0]), await status(opened.at(-1))]).toEqual([404, 200])
    // Sessions that are never initialized expire first.
    expect(await status(old)).toBe(200)
  })

  it('also deletes the streams of each session that it ends', async () => {
    await redis.command('FLUSHALL')
    const { sessions, events } = await createStores({ url: redis.url })
    const key = { principal: '', session: 'first', stream: 'stream' }
    await sessions.create(sessionRecord('first', ''), { ...LIFETIME, maxPerPrincipal: 1 })
    const lease = await events.open(key, { node: 'node', kind: 'call', pending: [] })
    await events.append(key, lease, [{ seq: 1, frame: 'frame' }])
    expect([await keysLike('*:m:*'), await keysLike('*:e:*'), await keysLike('*:x:*')]).toEqual([1, 1, 1])
    for (const id of ['second', 'third'])
      await sessions.create(sessionRecord(id, ''), { ...LIFETIME, maxPerPrincipal: 1 })
    expect([await keysLike('*:m:*'), await keysLike('*:e:*'), await keysLike('*:x:*')]).toEqual([0, 0, 0])
    expect(await sessions.get({ principal: '', id: 'third' })).toBeDefined()
  })
})

/** Returns a number from a section of the INFO reply. */
async function infoOf(section: string, name: string): Promise<number> {
  return Number(new RegExp(`${name}:(\\d+)`).exec(await redis.command('INFO', section))?.[1])
}

describe('replacing a session record', () => {
  it('sends the new record, but not the old one', async () => {
    const { sessions } = await createStores({ url: redis.url })
    const uris = Array.from({ length: 8 }, (_, i) => `test://${i}${'x'.repeat(8_000)}`)
    const record = { ...sessionRecord('large', ''), subscriptions: uris }
    let version = await sessions.create(record, LIFETIME)
    const before = await infoOf('stats', 'total_net_input_bytes')
    for (let i = 0; i < 10; i++)
      version = (await sessions.replace({ ...record, createdAt: i }, version, LIFETIME.ttlMs)) ?? ''
    const each = ((await infoOf('stats', 'total_net_input_bytes')) - before) / 10
    expect(each).toBeLessThan(1.2 * JSON.stringify(record).length)
  })
})

describe('a full task store', () => {
  /** Returns the number of commands that Redis runs during a step, including those in scripts. */
  async function commandsOf(step: () => Promise<unknown>): Promise<number> {
    const count = async (): Promise<number> => {
      const stats = await redis.command('INFO', 'commandstats')
      return [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0)
    }
    const before = await count()
    await step()
    return (await count()) - before
  }

  it.each([
    ['tasks', 2_000, 64 * 1024 * 1024],
    ['bytes', 10_000, 600_000],
  ])(
    'with too many %s needs about as many commands per task as a nearly empty store',
    async (_what, max, maxBytes) => {
      const { tasks } = await createStores({ url: redis.url }, { tasks: { max, maxPerOwner: max, maxBytes } })
      const now = Date.now()
      const ended = async (taskId: string, owner: string): Promise<void> => {
        const task = {
          taskId,
          owner,
          method: 'tools/call',
          revision: '1999-12-31',
          status: 'working' as const,
        }
        const times = { createdAt: now, updatedAt: now, ttlMs: 60_000, pollIntervalMs: 1_000 }
        expect(await tasks.create({ ...task, ...times })).toBe(true)
        await tasks.update(task, { status: 'completed', updatedAt: now, result: { text: 'x'.repeat(100) } })
      }
      const owners = ['principal:ann', 'principal:bob', 'session:1', 'session:2', 'session:3']
      const fill = async (from: number, to: number): Promise<void> => {
        for (let i = from; i < to; i += 20)
          await Promise.all(
            Array.from({ length: 20 }, (_, n) => ended(`task-${i + n}`, owners[n % owners.length] ?? '')),
          )
      }
      const few = await commandsOf(() => fill(0, 100))
      await fill(100, 2_500)
      const full = await commandsOf(() => fill(2_500, 2_600))
      expect(full).toBeLessThan(2.5 * few)
      expect(await tasks.list('principal:ann', { limit: 1 })).toHaveLength(1)
    },
  )
})

describe('servers with different names in one namespace', () => {
  it("do not receive each other's messages", async () => {
    const [first, second] = await createTwo({ url: redis.url })
    const [acme, same, other] = [
      first.forServer?.('acme'),
      second.forServer?.('acme'),
      second.forServer?.('other'),
    ]
    const heard: unknown[] = []
    same?.bus.subscribe('changes', (message) => heard.push(['acme', message]))
    other?.bus.subscribe('changes', (message) => heard.push(['other', message]))
    await same?.bus.ready?.()
    await acme?.bus.publish('changes', 1)
    await other?.bus.publish('changes', 2)
    await expect.poll(() => heard).toHaveLength(2)
    expect(new Set(heard.map(String))).toEqual(new Set(['acme,1', 'other,2']))
  })

  it("do not find each other's tasks, even those of the same principal", async () => {
    const stores = await createTwo({ url: redis.url })
    const names = ['acme', 'other']
    const [acme, other] = stores.map((shared, i) =>
      serve(shared, {
        name: names[i] ?? '',
        users: true,
        setUp: (server) =>
          void server.addTool({ name: 'work', taskSupport: 'optional', handler: () => 'done' }),
      }),
    ) as [ServedProcess, ServedProcess]
    const [session, elsewhere] = [await acme.open({ user: 'ann' }), await other.open({ user: 'ann' })]
    const call = request('tools/call', { name: 'work', arguments: {}, task: {} })
    const { result } = (await (await acme.post(call, session)).json()) as {
      readonly result: { readonly task: { readonly taskId: string } }
    }
    const { taskId } = result.task
    const found = await acme.post(request('tasks/get', { taskId }), session)
    expect(await found.json()).toMatchObject({ result: { taskId } })
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result'])
      expect(await (await other.post(request(method, { taskId }), elsewhere)).json()).toMatchObject({
        error: { message: 'Task not found' },
      })
    expect(await (await other.post(request('tasks/list'), elsewhere)).json()).toMatchObject({
      result: { tasks: [] },
    })
  })
})
