import { logLines, ping } from '@jetway-apps/test-support'
import { type RedisServer, startRedis } from '@jetway-apps/test-support/redis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ServedProcess, serve } from './support/process.ts'
import { createTwo } from './support/stores.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.stop())

/** Returns the only key that matches a pattern. */
async function keyLike(pattern: string): Promise<string> {
  const [, key = ''] = /\r\n(jw1:[^\r]+)/.exec(await redis.command('KEYS', pattern)) ?? []
  return key
}

const textOf = async (key: string): Promise<string> =>
  (await redis.command('GET', key)).split('\r\n').slice(1, -2).join('').replace('+OK', '')

/** Sends a ping until the process replies with something other than 503, as clients do. */
const statusOf = (served: ServedProcess, session: Readonly<Record<string, string>>): Promise<number> =>
  vi.waitUntil(async () => {
    const { status } = await served.post(ping(), session)
    return status !== 503 && status
  })

describe('a session record overwritten by someone else', () => {
  it('is not found until it is valid again, even by the process that created the session', async () => {
    const stores = await createTwo({ url: redis.url })
    const [first, second] = stores.map((shared) => serve(shared)) as [ServedProcess, ServedProcess]
    const session = await first.open()
    const key = await keyLike('*:s:*')
    const good = await textOf(key)
    const record = JSON.parse(good) as object
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const wrong = [
      '',
      'null',
      '"text"',
      '[]',
      '{}',
      'garbage',
      good.slice(0, -9),
      deep,
      'x'.repeat(3_000_000),
      ...[
        { id: 'another' },
        { principal: 'somebody' },
        { client: null },
        { client: { capabilities: null } },
        { listChanged: 'tools' },
        { listChanged: ['x'] },
        { subscriptions: {} },
        { subscriptions: [1] },
        { initialized: 1 },
        { createdAt: '1' },
        { revision: null },
        { logLevel: 'loud' },
        { pendingUrls: [null] },
        { stream: 'node' },
      ].map((change) => JSON.stringify({ ...record, ...change })),
      JSON.stringify({ ...record, client: { capabilities: { x: '#' } } }).replace('"#"', deep),
      JSON.stringify({ ...record, other: '#' }).replace('"#"', deep),
    ]
    for (const text of wrong) {
      await redis.command('SET', key, text)
      expect([text.slice(0, 200), await statusOf(first, session), await statusOf(second, session)]).toEqual([
        text.slice(0, 200),
        404,
        404,
      ])
      await redis.command('SET', key, good)
      expect(await statusOf(first, session)).toBe(200)
    }
    await redis.command('DEL', key)
    await redis.command('HSET', key, 'a', 'b')
    expect((await first.post(ping(), session)).status).toBe(404)
  })

  it("does not prevent its principal from opening sessions, even if the principal's index is overwritten", async () => {
    await redis.command('FLUSHALL')
    const [shared] = await createTwo({ url: redis.url })
    const node = serve(shared, { users: true })
    await node.open({ user: 'ann' })
    const key = await keyLike('*:p:*')
    await redis.command('DEL', key)
    await redis.command('SET', key, 'text')
    const session = await node.open({ user: 'ann' })
    expect((await node.post(ping(), session)).status).toBe(200)
  })
})

describe('a message key that someone else has overwritten with a string', () => {
  it.each([
    ['the inbox of a process', '*:i:*'],
    ['the bus', '*:b:*'],
  ])('is deleted, and the process then receives messages again: %s', async (_, pattern) => {
    await redis.command('FLUSHALL')
    const log = logLines()
    const [first, second] = await createTwo({ url: redis.url }, { logger: log })
    const heard: unknown[] = []
    await second.nodes.join((message) => heard.push(message['n']))
    second.bus.subscribe('changes', (message) => heard.push(message))
    await second.ready()
    await first.nodes.send(second.nodes.id, { n: 1 })
    await first.bus.publish('changes', 2)
    await vi.waitFor(() => expect(heard).toHaveLength(2))
    const key = await keyLike(pattern)
    await redis.command('SET', key, 'text')
    const sent = async (): Promise<unknown> => first.nodes.send(second.nodes.id, { n: 3 })
    await vi.waitFor(async () => expect(await sent().catch(String)).toBe(true))
    await vi.waitFor(() => expect(heard).toContain(3))
    await first.bus.publish('changes', 4)
    await vi.waitFor(() => expect(heard).toContain(4))
    const refused = log.lines.filter((line) => line.includes('Redis refuses to read'))
    expect(refused.length).toBeLessThanOrEqual(2)
  })
})

describe('a stream index that someone else has overwritten with a string', () => {
  it("does not prevent the session's streams from being deleted", async () => {
    await redis.command('FLUSHALL')
    const [{ events }] = await createTwo({ url: redis.url })
    const key = { principal: 'ann', session: 'session-1' }
    const lease = await events.open({ ...key, stream: 'stream-1' }, { node: 'n', kind: 'call', pending: [] })
    await events.append({ ...key, stream: 'stream-1' }, lease, [{ seq: 1, frame: 'one' }])
    const index = await keyLike('*:x:*')
    await redis.command('SET', index, 'text')
    await events.delete(key)
    expect(await keyLike('*:x:*')).toBe('')
  })
})

describe('a task record overwritten by someone else', () => {
  it.each(['null', '[]', 'garbage', '{"taskId":"task-1"}'])('is not found if it is %s', async (text) => {
    const [{ tasks }] = await createTwo({ url: redis.url })
    const now = Date.now()
    const key = { taskId: 'task-1', owner: 'principal:ann' }
    const task = { ...key, method: 'tools/call', revision: '1999-12-31', status: 'working' as const }
    await tasks.create({ ...task, createdAt: now, updatedAt: now, ttlMs: 60_000, pollIntervalMs: 1_000 })
    expect(await tasks.get(key)).toBeDefined()
    const records = /\r\n(jw1:[^\r]+:r)\r/.exec(await redis.command('KEYS', 'jw1:*:k:*:r'))?.[1] ?? ''
    await redis.command('HSET', records, 'task-1', text)
    expect(await tasks.get(key)).toBeUndefined()
    expect(await tasks.list(key.owner, { limit: 10 })).toEqual([])
    expect(await tasks.update(key, { status: 'completed', updatedAt: now })).toBeUndefined()
    await redis.command('DEL', records)
  })
})

describe('a bus listener that throws', () => {
  it('does not stop delivery to any listener, and its error is logged', async () => {
    const log = logLines()
    const [first, second] = await createTwo({ url: redis.url }, { logger: log })
    const fail = (): never => {
      throw new Error('broken listener')
    }
    const heard: unknown[] = []
    second.bus.subscribe('changes', fail, fail)
    second.bus.subscribe(
      'changes',
      (message) => heard.push(message),
      () => heard.push('gap'),
    )
    await second.ready()
    await first.bus.publish('changes', 1)
    await vi.waitFor(() => expect(heard).toEqual([1]))
    await redis.command('DEL', await keyLike('*:b:*'))
    // When the stream is new, the reader checks for lost messages.
    await second.nodes.join(fail)
    await vi.waitFor(() => expect(heard).toEqual([1, 'gap']))
    await first.nodes.send(second.nodes.id, { any: 'mail' })
    await first.bus.publish('changes', 2)
    await vi.waitFor(() => expect(heard).toEqual([1, 'gap', 2]))
    await vi.waitFor(() => expect(log.lines.length).toBeGreaterThanOrEqual(4))
    // On a busy machine, Redis may also be late.
    const failed = log.lines.filter((line) => !line.includes('Redis'))
    expect(new Set(failed)).toEqual(new Set(['error: A listener of the bus failed']))
  })
})
