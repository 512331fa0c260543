import { initialize, logLines, ping } from '@jetway-apps/test-support'
import { startRedis, startRedisCluster } from '@jetway-apps/test-support/redis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { redis, RedisReplyError } from '../src/index.ts'
import { serve } from './support/process.ts'
import { createTwo, newTwo } from './support/stores.ts'

/** The permissions that docs/guide/scale-out.md tells users to grant. */
const GRANTS = '~jw1:* resetchannels -@all +@read +@write +@scripting +@connection +time -@dangerous'

describe('a Redis user with minimal permissions', () => {
  it('can use ready() and all stores', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    await server.command('ACL', 'SETUSER', 'jetway', 'on', '>secret', ...GRANTS.split(' '))
    const url = server.url.replace('redis://', 'redis://jetway:secret@')
    const log = logLines()
    const [first, second] = await createTwo({ url }, { logger: log })
    const [node, other] = [serve(first), serve(second)]
    const session = await node.open()
    expect((await other.post(ping(), session)).status).toBe(200)
    const mail: unknown[] = []
    await second.nodes.join((message) => mail.push(message))
    expect(await first.nodes.send(second.nodes.id, { a: 1 })).toBe(true)
    second.bus.subscribe('topic', (message) => mail.push(message))
    await second.ready()
    await first.bus.publish('topic', 'b')
    await vi.waitFor(() => expect(mail).toEqual([{ a: 1 }, 'b']))
    const key = { principal: '', session: 'session', stream: 'stream' }
    const { epoch, fence } = await first.events.open(key, { node: 'node', kind: 'call', pending: [1] })
    await first.events.append(key, { epoch, fence }, [{ seq: 1, frame: 'frame' }])
    expect((await second.events.read(key, { epoch, seq: 0 }))?.events).toHaveLength(1)
    expect(await second.events.seize(key, epoch, 'other')).toMatchObject({ pending: [1] })
    await second.events.delete(key)
    const now = Date.now()
    const task = { taskId: 'task', owner: 'principal:ann', method: 'tools/call', revision: '1999-12-31' }
    const times = { createdAt: now, updatedAt: now, ttlMs: 60_000, pollIntervalMs: 1_000 }
    expect(await first.tasks.create({ ...task, ...times, status: 'working' })).toBe(true)
    expect(await second.tasks.update(task, { status: 'completed', updatedAt: now })).toBeDefined()
    expect(await first.tasks.list(task.owner, { limit: 5 })).toHaveLength(1)
    expect(await first.tasks.delete(task)).toBe(true)
    expect(await first.usedStates.take('nonce', now + 60_000, 'ann')).toBe(true)
    expect(
      (await node.mount(new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers: session }))).status,
    ).toBe(204)
    expect(log.lines).toEqual([])
  })

  it('can use a Redis Cluster with the additional permission +cluster|slots', async () => {
    const servers = await startRedisCluster()
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    for (const server of servers)
      await server.command(
        'ACL',
        'SETUSER',
        'jetway',
        'on',
        '>secret',
        ...GRANTS.split(' '),
        '+cluster|slots',
      )
    const cluster = servers.map(({ url }) => url)
    const [first, second] = await createTwo({ cluster }, { username: 'jetway', password: 'secret' })
    const [node, other] = [serve(first), serve(second)]
    for (let i = 0; i < 5; i++) expect((await other.post(ping(), await node.open())).status).toBe(200)
  })
})

describe('ready', () => {
  it('rejects if Redis lacks the commands of version 6.2', async () => {
    const stores = redis({
      namespace: 'old',
      connection: {
        command: async (_key, [name]) => {
          throw new RedisReplyError(`ERR unknown command '${name}', with args beginning with: `)
        },
        reader: () => ({ command: async () => null, close: () => {} }),
        close: async () => {},
      },
    })
    await expect(stores.ready()).rejects.toThrow('Use 6.2 or newer')
  })
})

describe('the first initialize request of a process', () => {
  it('is refused with 503 after one unanswered Redis command, and accepted once Redis is back', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const [shared] = newTwo({ url: server.url })
    const create = vi.spyOn(shared.sessions, 'create')
    const node = serve(shared)
    server.signal('SIGSTOP')
    const refused = await node.post(initialize())
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    // A command waits for 500 ms, so with a second command the reply would take more than 1 s.
    expect(create).not.toHaveBeenCalled()
    server.signal('SIGCONT')
    await vi.waitFor(async () => expect((await node.post(initialize())).status).toBe(200))
  })
})
