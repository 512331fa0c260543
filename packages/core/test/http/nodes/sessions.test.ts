import { logLines, settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { createEndpoint } from '../../../src/http/endpoint.ts'
import type { McpServer } from '../../../src/index.ts'
import { initializeMessage, type TestSession } from '../support/harness.ts'
import { createCluster } from '../support/nodes.ts'

const ping = { jsonrpc: '2.0', id: 9, method: 'ping' }
const alice = { auth: { principal: 'alice' } }
const subscribe = (uri: string): object => ({
  jsonrpc: '2.0',
  id: 3,
  method: 'resources/subscribe',
  params: { uri },
})
const setLevel = (level: string): object => ({
  jsonrpc: '2.0',
  id: 4,
  method: 'logging/setLevel',
  params: { level },
})
const unsubscribe = (uri: string): object => ({ ...subscribe(uri), method: 'resources/unsubscribe' })
const logging = (server: McpServer): void =>
  void server.addTool({
    name: 'log',
    handler: (_args, ctx) => {
      ctx.log.info('here')
    },
  })
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

const resources = (server: McpServer): void => {
  for (const name of ['a', 'b', 'c']) server.addResource({ uri: `test://${name}`, name, handler: () => name })
}

describe('a session on several nodes', () => {
  it('continues on every node', async () => {
    const cluster = createCluster()
    const [a, b, c] = [cluster.node(), cluster.node(), cluster.node()]
    const session = await a.open()
    for (const node of [b, c, a, b]) expect((await node.at(session).post(ping)).status).toBe(200)
  })

  it('is unknown to a server with another name', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node(), cluster.node({ info: { name: 'other', version: '1.0.0' } })]
    const session = await a.open()
    expect((await b.at(session).post(ping)).status).toBe(404)
    expect((await session.post(ping)).status).toBe(200)
  })

  it('is unknown to other principals on every node', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node(), cluster.node()]
    const session = await a.open({ more: alice })
    expect((await b.continue(session, { auth: { principal: 'bob' } }).post(ping)).status).toBe(404)
    expect((await b.at(session).post(ping)).status).toBe(404)
    expect((await b.continue(session, alice).post(ping)).status).toBe(200)
  })

  it('stays alive on the node that uses it, even after another node has expired or evicted it', async () => {
    const cluster = createCluster()
    const endpoint = { sessions: { ttlMs: 10_000, max: 1 } }
    const [a, b] = [cluster.node({ endpoint }), cluster.node({ endpoint })]
    const session = await a.open({ more: alice })
    for (let i = 0; i < 6; i++) {
      await cluster.clock.advance(4_000)
      expect((await b.continue(session, alice).post(ping)).status).toBe(200)
    }
    expect((await a.continue(session, alice).post(ping)).status).toBe(200)
    await a.open({ more: { auth: { principal: 'bob' } } })
    expect((await b.continue(session, alice).post(ping)).status).toBe(200)
  })

  it('is ended as the least recently used anonymous session if all nodes together exceed `max`', async () => {
    const cluster = createCluster()
    const endpoint = { sessions: { max: 2 } }
    const [a, b] = [cluster.node({ endpoint }), cluster.node({ endpoint })]
    const [first, second] = [await a.open(), await b.open()]
    await cluster.clock.advance(10 * 60_000)
    expect((await first.post(ping)).status).toBe(200)
    const third = await b.open()
    await cluster.clock.advance(1_001)
    const statuses = [first, second, third].map(async (session) => (await a.at(session).post(ping)).status)
    expect(await Promise.all(statuses)).toEqual([200, 404, 200])
    expect(cluster.sessions.size).toBe(2)
  })

  it('does not crash the process if its store returns an invalid record', async () => {
    const cluster = createCluster()
    const log = logLines()
    const node = cluster.node({ server: { logger: log } })
    const session = await node.open()
    await session.get()
    const get = cluster.sessions.get.bind(cluster.sessions)
    cluster.sessions.get = () => ({ record: null as never, version: 'wrong' })
    await cluster.clock.advance(1_001)
    expect((await session.post(ping)).status).toBe(500)
    await cluster.clock.advance(10 * 60_000)
    expect(log.lines).toContain('error: A session store failed')
    cluster.sessions.get = get
    expect((await session.post(ping)).status).toBe(200)
  })

  it('expires on all nodes if no node uses it', async () => {
    const cluster = createCluster()
    const endpoint = { sessions: { ttlMs: 10_000 } }
    const [a, b] = [cluster.node({ endpoint }), cluster.node({ endpoint })]
    const session = await a.open()
    await b.at(session).post(ping)
    await cluster.clock.advance(13_000)
    for (const node of [a, b]) expect((await node.at(session).post(ping)).status).toBe(404)
  })

  it('ends immediately on all nodes after a DELETE', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node(), cluster.node()]
    const session = await a.open()
    const other = b.at(session)
    await other.post(ping)
    const stream = await session.get()
    expect((await other.delete()).status).toBe(204)
    expect((await session.post(ping)).status).toBe(404)
    expect(stream.sink.closed).toBe(true)
    expect([cluster.sessions.size, cluster.events.size.streams]).toEqual([0, 0])
  })

  it('ends after a DELETE even while the stores are down, and is removed from the stores later', async () => {
    const cluster = createCluster()
    const { sessions, events } = cluster
    const [a, b] = [cluster.node(), cluster.node()]
    const session = await a.open()
    await session.get()
    const stores = { session: sessions.delete.bind(sessions), event: events.delete.bind(events) }
    sessions.delete = events.delete = (): never => {
      throw new Error('store down')
    }
    expect((await session.delete()).status).toBe(204)
    sessions.delete = stores.session
    events.delete = stores.event
    await cluster.clock.advance(1_000)
    expect([sessions.size, events.size.streams]).toEqual([0, 0])
    expect((await b.at(session).post(ping)).status).toBe(404)
  })

  it('has at most one GET stream, which a new GET replaces', async () => {
    const cluster = createCluster()
    const session = await cluster.node().open()
    const first = await session.get()
    await session.get()
    await settled()
    expect([first.sink.closed, cluster.events.size.streams]).toEqual([true, 1])
  })

  it('ends within `verifyMs` on a node that misses the notification of its end', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node(), cluster.node()]
    const session = await a.open()
    b.shared.bus.publish = () => {}
    await b.at(session).delete()
    expect((await session.post(ping)).status).toBe(200)
    await cluster.clock.advance(1_001)
    expect((await session.post(ping)).status).toBe(404)
  })

  it('continues while the store is read-only, and stores its changes later', async () => {
    const cluster = createCluster()
    const { sessions } = cluster
    const node = cluster.node({ setUp: logging })
    const session = await node.open()
    const replace = sessions.replace.bind(sessions)
    sessions.replace = (): never => {
      throw new Error('out of memory')
    }
    expect((await session.post(setLevel('debug'))).status).toBe(200)
    await cluster.clock.advance(1_001)
    expect((await session.post(ping)).status).toBe(200)
    sessions.replace = replace
    await cluster.clock.advance(1_001)
    expect((await session.post(ping)).status).toBe(200)
    expect(sessions.get({ principal: '', id: session.id })?.record.logLevel).toBe('debug')
  })

  it('keeps changes that several nodes make at the same time', async () => {
    const cluster = createCluster()
    const nodes = [1, 2, 3].map(() => cluster.node({ setUp: resources }))
    const [a] = nodes
    const session = await a?.open()
    if (session === undefined) throw new Error('No session')
    const at = nodes.map((node) => node.at(session))
    await Promise.all(at.map((one) => one.post(ping)))
    const changes = [subscribe('test://a'), setLevel('debug'), subscribe('test://b')]
    await Promise.all(at.map((one, i) => one.post(changes[i])))
    await at[0]?.post(subscribe('test://c'))
    const stored = cluster.sessions.get({ principal: '', id: session.id })?.record
    expect(new Set(stored?.subscriptions)).toEqual(new Set(['test://a', 'test://b', 'test://c']))
    expect(stored?.logLevel).toBe('debug')
  })

  it.each([
    ['at once although other nodes have changed the record 4 times', 4, 'debug'],
    ['later if other nodes have changed the record 5 times', 5, undefined],
  ])('stores a change %s', async (_, times, stored) => {
    const cluster = createCluster()
    const { sessions } = cluster
    const session = await cluster.node({ setUp: logging }).open()
    const replace = sessions.replace.bind(sessions)
    let left = times
    sessions.replace = (...args) => (left-- > 0 ? undefined : replace(...args))
    const level = (): unknown => sessions.get({ principal: '', id: session.id })?.record.logLevel
    await session.post(setLevel('debug'))
    expect(level()).toBe(stored)
    await cluster.clock.advance(1_001)
    await session.post(ping)
    expect(level()).toBe('debug')
  })

  it('extends the lifetime of its record once in every quarter of the time to live', async () => {
    const cluster = createCluster()
    const a = cluster.node({ endpoint: { sessions: { ttlMs: 100_000 } } })
    const session = await a.open()
    const renewals: (number | undefined)[] = []
    const get = a.shared.sessions.get.bind(a.shared.sessions)
    a.shared.sessions.get = (key, ttlMs) => {
      renewals.push(ttlMs)
      return get(key, ttlMs)
    }
    for (let i = 0; i < 6; i++) {
      await cluster.clock.advance(12_500)
      await session.post(ping)
    }
    const renewed = 125_000
    expect(renewals).toEqual([undefined, undefined, renewed, undefined, undefined, renewed])
  })

  it("is read and renewed in the store even if its node's clock is set back", async () => {
    const cluster = createCluster()
    let skew = 0
    const clock = {
      now: () => cluster.clock.now() + skew,
      setTimeout: (run: () => void, ms: number) => cluster.clock.setTimeout(run, ms),
      clearTimeout: (timer: unknown) => cluster.clock.clearTimeout(timer),
    }
    const a = cluster.node({ endpoint: { sessions: { ttlMs: 100_000 } }, server: { clock } })
    const session = await a.open()
    const renewals: (number | undefined)[] = []
    const get = a.shared.sessions.get.bind(a.shared.sessions)
    a.shared.sessions.get = (key, ttlMs) => {
      renewals.push(ttlMs)
      return get(key, ttlMs)
    }
    skew = -3_600_000
    await session.post(ping)
    expect(renewals).toEqual([125_000])
  })

  it.each([
    ['keeps its last 256 changes', 255, true],
    ['drops older changes', 256, false],
  ])('%s while the store fails', async (_, more, kept) => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: resources }), cluster.node({ setUp: resources })]
    const session = await a.open()
    await b.at(session).post(ping)
    const replace = a.shared.sessions.replace.bind(a.shared.sessions)
    a.shared.sessions.replace = () => Promise.reject(new Error('The store is away'))
    await session.post(setLevel('error'))
    for (let i = more; i > 0; i--)
      await session.post(i % 2 === 0 ? subscribe('test://a') : unsubscribe('test://a'))
    a.shared.sessions.replace = replace
    await b.at(session).post(subscribe('test://b'))
    await session.post(subscribe('test://c'))
    const stored = cluster.sessions.get({ principal: '', id: session.id })?.record
    expect(new Set(stored?.subscriptions)).toEqual(new Set(['test://b', 'test://c']))
    expect(stored?.logLevel === 'error').toBe(kept)
  })

  it('survives if a node that considers it uninitialized removes it', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node(), cluster.node()]
    const opened = await a.post(initializeMessage())
    const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] }
    await b.post(ping, headers)
    await a.post(initialized, headers)
    await cluster.clock.advance(10 * 60_000)
    expect((await a.post(ping, headers)).status).toBe(200)
    await cluster.clock.advance(10 * 60_000)
    expect((await b.post(ping, headers)).status).toBe(200)
  })

  it('is read from the store at most once per `verifyMs`', async () => {
    const cluster = createCluster()
    const a = cluster.node()
    const session = await a.open()
    let reads = 0
    const get = a.shared.sessions.get.bind(a.shared.sessions)
    a.shared.sessions.get = (...args) => {
      reads++
      return get(...args)
    }
    await cluster.clock.advance(2_000)
    for (let i = 0; i < 20; i++) await session.post(ping)
    expect(reads).toBe(1)
    await cluster.clock.advance(999)
    await session.post(ping)
    expect(reads).toBe(1)
  })
})

/** Returns the notifications sent by a call that logs. */
async function logged(session: TestSession): Promise<unknown[]> {
  const { sink } = await session.call('log')
  await settled()
  return sink.messages.flatMap(({ method }) => method ?? [])
}

describe('a change on one node', () => {
  it('applies to the next request on another node, even if that node has just read the session record', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: logging }), cluster.node({ setUp: logging })]
    const session = await a.open()
    const other = b.at(session)
    await other.post(ping)
    await session.post(setLevel('error'))
    expect(await logged(other)).toEqual([])
    await other.post(setLevel('info'))
    expect(await logged(session)).toEqual(['notifications/message'])
  })

  it('is merged into the stored subscriptions, even if the node has missed earlier changes', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: resources }), cluster.node({ setUp: resources })]
    const session = await a.open()
    const stored = (): unknown =>
      cluster.sessions.get({ principal: '', id: session.id })?.record.subscriptions
    await b.at(session).post(ping)
    for (const node of [a, b]) node.shared.bus.publish = () => {}
    await session.post(subscribe('test://a'))
    await b.at(session).post(unsubscribe('test://a'))
    expect(stored()).toEqual([])
    await session.post(subscribe('test://a'))
    expect(stored()).toEqual(['test://a'])
  })
})

describe('change notifications', () => {
  it('reach the stream even if the session subscribed on another node', async () => {
    const cluster = createCluster()
    const [a, b, c] = [1, 2, 3].map(() => cluster.node({ setUp: resources }))
    if (a === undefined || b === undefined || c === undefined) throw new Error('No nodes')
    const session = await a.open()
    const { sink } = await session.get()
    await b.at(session).post(subscribe('test://b'))
    c.server.notify.resourceUpdated('test://b')
    await settled()
    expect(sink.messages).toMatchObject([
      { method: 'notifications/resources/updated', params: { uri: 'test://b' } },
    ])
  })
})

describe('sealed session ids', () => {
  it("cannot be combined with shared stores, not even with the server's own stores", () => {
    const { server } = createCluster().node()
    const sessions = { seal: { keys: [new Uint8Array(32)] } }
    expect(() => createEndpoint(server, { sessions })).toThrow('sessions.seal')
  })
})

describe('a node that cannot join the others', () => {
  it('opens no sessions, and tries again to join on the next request', async () => {
    const { shared, post } = createCluster().node()
    const join = shared.nodes.join.bind(shared.nodes)
    shared.nodes.join = () => Promise.reject(new Error('down'))
    expect((await post(initializeMessage())).status).toBe(503)
    const joined = vi.fn(join)
    shared.nodes.join = joined
    for (let again = 0; again < 2; again++) expect((await post(initializeMessage())).status).toBe(200)
    expect(joined).toHaveBeenCalledTimes(1)
  })
})

describe('server.close on one node', () => {
  it('stops using the stores even if the node cannot leave the others', async () => {
    const { server, shared, open, log, uses } = createCluster().node()
    const join = shared.nodes.join.bind(shared.nodes)
    shared.nodes.join = async (listener) => {
      await join(listener)
      return () => Promise.reject(new Error('down'))
    }
    await open()
    await server.close()
    expect(uses()).toBe(0)
    expect(log).toMatchObject([
      { level: 'error', message: 'A node could not leave the others. Its lease expires' },
    ])
  })

  it('leaves its sessions to the other nodes, and stops using the stores', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node(), cluster.node()]
    const session = await a.open()
    expect(a.uses()).toBe(2)
    const closing = a.server.close()
    await cluster.clock.advance(10_000)
    await closing
    expect(a.uses()).toBe(0)
    expect((await b.at(session).post(ping)).status).toBe(200)
    expect(await b.shared.nodes.alive([a.id])).toEqual([false])
  })
})
