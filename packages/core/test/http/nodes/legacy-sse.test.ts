import { deferred, notification, ping, request, settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { McpServer } from '../../../src/index.ts'
import { type HarnessOptions, initializeMessage, type Message, type Sent } from '../support/harness.ts'
import { type Cluster, createCluster, type TestNode } from '../support/nodes.ts'
import { addHold, addMounted } from '../support/tools.ts'
import { openSse, type SseClient } from '../support/sse-client.ts'

const ada = { auth: { principal: 'ada' } }
const bob = { auth: { principal: 'bob' } }
const OK = z.object({ ok: z.boolean() })

interface SseNode extends TestNode {
  /** The tool `hold` waits for it. */
  readonly held: ReturnType<typeof deferred<void>>
  readonly aborted: string[]
}

function nodeOf(cluster: Cluster, { endpoint, ...more }: HarnessOptions = {}): SseNode {
  const held = deferred()
  const aborted: string[] = []
  const setUp = (server: McpServer): void => {
    server.addTool({ name: 'echo', inputSchema: z.object({ text: z.string() }), handler: ({ text }) => text })
    server.addTool({ name: 'big', handler: () => 'x'.repeat(5_000) })
    addMounted(server)
    addHold(server, held.promise, aborted)
    server.addTool({
      name: 'report',
      async handler(_args, ctx) {
        for (const step of [1, 2, 3]) await ctx.progress(step, 3)
        return 'reported'
      },
    })
    server.addTool({
      name: 'long',
      async handler(_args, ctx) {
        for (let i = 1; i <= 300; i++) await ctx.progress(i, 300, 'x'.repeat(1_000))
        return 'long'
      },
    })
    server.addTool({
      name: 'ask',
      handler: async (_args, ctx) => `ok: ${(await ctx.elicit('Sure?', OK)).ok}`,
    })
    server.addTool({
      name: 'flood',
      handler(_args, ctx) {
        for (let i = 0; i < 200; i++) ctx.log.error(`${i}`.padEnd(1_000, 'x'))
        return 'flooded'
      },
    })
    server.addResource({ uri: 'test://a', name: 'a', handler: () => 'a' })
  }
  const streams = { keepAlive: false } as const
  const options = { legacySse: true, streams, ...endpoint }
  return { ...cluster.node({ ...more, endpoint: options, setUp }), held, aborted }
}

/** Three nodes. The client's stream is at the first one. */
async function streaming(options?: HarnessOptions, sent?: Sent) {
  const cluster = createCluster()
  const [a, b, c] = [nodeOf(cluster, options), nodeOf(cluster, options), nodeOf(cluster, options)]
  const client = await openSse(a, sent)
  return { cluster, a, b, c, client, sink: client.sink, atB: client.at(b), atC: client.at(c) }
}

/** The same, and the second node has answered `initialize`. */
async function started(options?: HarnessOptions, sent?: Sent) {
  const made = await streaming(options, sent)
  await made.atB.initialize('2025-06-18', { elicitation: {} })
  return made
}

/** The messages on a client's stream. */
const messagesOf = ({ sink }: SseClient): Message[] =>
  sink.events.slice(1).map(({ data }) => JSON.parse(data) as Message)

async function answerTo(client: SseClient, id: string | number): Promise<Message> {
  const found = (): Message | undefined => messagesOf(client).find((message) => message.id === id)
  await client.sink.until(() => found() !== undefined)
  return found() as Message
}

const textOf = ({ result }: Message): unknown =>
  (result?.['content'] as { text: string }[] | undefined)?.[0]?.text
const cancel = (id: number): object => notification('notifications/cancelled', { requestId: id })

describe('a client of HTTP+SSE, whose messages arrive at any node', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'initializes %s at one and calls at each, with all answers on its stream',
    async (version) => {
      const { a, b, c, client } = await streaming()
      await client.at(b).initialize(version)
      expect(messagesOf(client)[0]).toMatchObject({ result: { protocolVersion: version } })
      for (const [i, node] of [a, b, c, b, a].entries()) {
        const { status } = await client.at(node).call('echo', { text: `${i}` }, `call-${i}`)
        expect(status).toBe(202)
        expect(textOf(await answerTo(client, `call-${i}`))).toBe(`${i}`)
      }
    },
  )

  it('is served at others if the node of its stream has answered initialize', async () => {
    const { client, atB } = await streaming()
    await client.initialize()
    await atB.call('echo', { text: 'b' })
    expect(textOf(await answerTo(client, 2))).toBe('b')
  })

  it('is served at the node of its stream before the mail about initialize has arrived there', async () => {
    const { b, client, atB } = await streaming()
    const { nodes } = b.shared
    const send = nodes.send.bind(nodes)
    const late: (() => unknown)[] = []
    nodes.send = (...args) => {
      late.push(() => send(...args))
      return true
    }
    expect((await atB.post(initializeMessage())).status).toBe(202)
    expect((await client.call('echo', { text: 'early' })).status).toBe(202)
    expect(textOf(await answerTo(client, 2))).toBe('early')
    for (const one of late) await one()
    expect(await answerTo(client, 1)).toMatchObject({ result: {} })
  })

  it('costs no look at the store for each message', async () => {
    const { cluster, client } = await streaming()
    await client.initialize()
    await client.call('echo', { text: 'first' }, 'first')
    const get = vi.spyOn(cluster.sessions, 'get')
    for (let i = 0; i < 3; i++) await client.call('echo', { text: 'next' }, `next-${i}`)
    expect(get).not.toHaveBeenCalled()
  })

  it('loses its stream if only other nodes serve the revision that it has agreed on', async () => {
    const cluster = createCluster()
    const [a, b] = [nodeOf(cluster, { endpoint: { revisions: ['2025-11-25'] } }), nodeOf(cluster)]
    const client = await openSse(a)
    expect((await client.at(b).post(initializeMessage('2025-06-18'))).status).toBe(202)
    await settled()
    await cluster.clock.advance(1_000)
    expect(client.sink.closed).toBe(true)
    expect((await client.at(b).post(ping())).status).toBe(404)
  })

  it('gets the errors and pings of the time before initialize', async () => {
    const { client, atB } = await streaming()
    expect((await atB.post(ping('early'))).status).toBe(202)
    expect(await answerTo(client, 'early')).toMatchObject({ result: {} })
    expect((await atB.call('echo', { text: 'x' })).status).toBe(202)
    expect(await answerTo(client, 2)).toMatchObject({ error: { code: -32600 } })
    expect((await atB.post([ping()])).status).toBe(400)
  })

  it('may initialize once, wherever', async () => {
    const { client, atB, atC } = await streaming()
    const statuses = await Promise.all([
      atB.post(initializeMessage('2025-06-18', 'b')),
      atC.post(initializeMessage('2025-06-18', 'c')),
    ])
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([202, 503]))
    await atC.post(initializeMessage('2025-06-18', 'again'))
    expect(await answerTo(client, 'again')).toMatchObject({
      error: { message: 'The session is initialized already' },
    })
  })

  it('is refused where there is no place for one more session, and may try another node', async () => {
    const cluster = createCluster()
    const full = nodeOf(cluster, { endpoint: { sessions: { max: 1 } } })
    const other = await openSse(full)
    await other.initialize()
    await other.call('hold', {}, 'running')
    const client = await openSse(nodeOf(cluster))
    expect((await client.at(full).post(initializeMessage())).status).toBe(503)
    await client.at(nodeOf(cluster)).initialize()
    expect(await answerTo(client, 1)).toMatchObject({ result: {} })
  })

  it('is served with the credentials and locals of each request', async () => {
    const { client, b } = await started({}, ada)
    const auth = { principal: 'ada', scopes: ['new'] }
    await client.at(b, { auth, mount: 'second' }).call('mounted')
    expect(textOf(await answerTo(client, 2))).toBe(JSON.stringify(['second', auth]))
  })

  it('may send a batch in the revision that has them', async () => {
    const { client, atB, atC } = await streaming()
    await atB.initialize('2025-03-26')
    expect((await atC.post([ping('a'), ping('b')])).status).toBe(202)
    await client.sink.until(() => client.sink.text.includes('"b"'))
    expect(messagesOf(client).at(-1)).toMatchObject([{ id: 'a' }, { id: 'b' }])
  })

  it('reads the messages of a call in their order', async () => {
    const { client, c, atB } = await started()
    const params = { name: 'report', arguments: {}, _meta: { progressToken: 'p' } }
    await atB.post(request('tools/call', params, 7))
    // Another process takes the client's answer to the ping before the response.
    await client.sink.until(() => client.sink.text.includes('"method":"ping"'))
    const asked = messagesOf(client).find(({ method }) => method === 'ping')
    await client.at(c).post({ jsonrpc: '2.0', id: asked?.id, result: {} })
    await answerTo(client, 7)
    expect(messagesOf(client).map(({ id, params: sent }) => sent?.['progress'] ?? id)).toEqual([
      1,
      1,
      2,
      3,
      asked?.id,
      7,
    ])
  })
})

describe('a question of a call', () => {
  it('is answered once, at whichever node the response arrives', async () => {
    const { client, a, b, c } = await started()
    for (const [i, node] of [a, b, c].entries()) {
      await client.at(node).call('ask', {}, `ask-${i}`)
      const asked = (): Message[] =>
        messagesOf(client).filter(({ method }) => method === 'elicitation/create')
      await client.sink.until(() => asked().length > i)
      const answer = {
        jsonrpc: '2.0',
        id: asked()[i]?.id,
        result: { action: 'accept', content: { ok: true } },
      }
      for (const other of [c, a, b]) expect((await client.at(other).post(answer)).status).toBe(202)
      expect(textOf(await answerTo(client, `ask-${i}`))).toBe('ok: true')
    }
    await settled()
    const answers = messagesOf(client).filter(({ id }) => String(id).startsWith('ask-'))
    expect(answers).toHaveLength(3)
  })
})

describe('a cancellation', () => {
  it('ends the call at whichever node it runs', async () => {
    const { cluster, a, b, c, client } = await started()
    for (const [id, node] of [a, b, c].entries()) {
      await client.at(node).call('hold', {}, id)
      const { status } = await client.at([b, c, a][id] ?? a).post(cancel(id))
      expect(status).toBe(202)
      await settled()
      await cluster.clock.advance(100)
      expect(node.aborted).toEqual([String(id)])
    }
  })
})

describe('changes', () => {
  it('reach the stream, also those of subscriptions that another node has taken', async () => {
    const { client, c, atB } = await started()
    await atB.post(request('resources/subscribe', { uri: 'test://a' }, 2))
    await answerTo(client, 2)
    c.server.notify.resourceUpdated('test://a')
    c.server.notify.toolsChanged()
    await client.sink.until(() => client.sink.text.includes('list_changed'))
    expect(messagesOf(client).flatMap(({ method }) => method ?? [])).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ])
  })
})

describe('a session of HTTP+SSE', () => {
  it('is unknown to other principals at every node, with the reply for an unknown session', async () => {
    const { client, a, b, c } = await started({}, ada)
    await client.at(c).call('echo', { text: 'x' })
    for (const node of [a, b, c]) {
      const unknown = await node.send({ ...ada, route: 'message', query: { sessionId: 'x' }, body: ping() })
      for (const who of [bob, {}]) expect((await client.at(node, who).post(ping())).reply).toBe(unknown.reply)
      expect(unknown.status).toBe(404)
    }
    expect((await client.at(b).post(ping())).status).toBe(202)
  })

  it('cannot be used over Streamable HTTP at any node, nor the other way round', async () => {
    const { client, a, b, c } = await started()
    const { id } = await a.open()
    for (const node of [a, b, c]) {
      expect((await node.post(ping(), { 'mcp-session-id': client.sessionId })).status).toBe(404)
      const sent = { route: 'message', query: { sessionId: id }, body: ping() } as const
      expect((await node.send(sent)).status).toBe(404)
    }
  })

  it('ends at every node when its client disconnects, with its calls and its record', async () => {
    const { cluster, client, b, c, atB, atC } = await started()
    await atC.call('hold', {}, 'running')
    client.opened.request.leave()
    await settled()
    expect(c.aborted).toEqual(['running'])
    expect(cluster.sessions.size).toBe(0)
    for (const at of [atB, atC]) expect((await at.post(ping())).status).toBe(404)
    expect([b, c].map(({ endpoint }) => endpoint.stats().sessions)).toEqual([0, 0])
  })

  it('ends when the node of its stream is gone', async () => {
    const { cluster, a, atB, atC } = await started()
    await atB.call('hold', {}, 'running')
    a.kill()
    expect((await atC.post(ping())).status).toBe(404)
    expect(cluster.sessions.size).toBe(0)
    expect((await atB.post(ping())).status).toBe(404)
  })

  it('ends when the node of its stream is gone before a response', async () => {
    const { cluster, a, b, atB } = await started()
    await atB.call('hold', {}, 'running')
    a.kill()
    b.held.resolve()
    await settled()
    expect([cluster.sessions.size, b.endpoint.stats().sessions]).toEqual([0, 0])
  })

  it('ends when the node of its stream is gone before initialize', async () => {
    const { cluster, a, atB } = await streaming()
    a.kill()
    expect((await atB.post(initializeMessage())).status).toBe(404)
    expect(cluster.sessions.size).toBe(0)
  })

  it.each([
    ['session', 404, 'opened', initializeMessage()],
    ['answer to a ping before initialize', 202, 'frames', ping('early')],
  ])(
    'ends with its stream if the node of the stream does not get the %s',
    async (_, status, kind, message) => {
      const { cluster, sink, b, atB } = await streaming()
      b.shared.nodes.send = () => Promise.reject(new Error('down'))
      const posted = atB.post(message)
      for (let i = 0; i < 40; i++) {
        await settled()
        await cluster.clock.advance(100)
      }
      expect([(await posted).status, sink.closed, cluster.sessions.size]).toEqual([status, true, 0])
      expect(b.log).toContainEqual({
        level: 'error',
        fields: { err: new Error('down'), kind },
        message: 'Another node could not be reached',
      })
    },
  )

  it('looks once for each verifyMs whether the node of its stream runs', async () => {
    const { cluster, b, atB } = await started()
    const alive = vi.spyOn(b.shared.nodes, 'alive')
    const looks: number[] = []
    for (const ms of [0, 999, 1]) {
      await cluster.clock.advance(ms)
      await atB.post(ping())
      looks.push(alive.mock.calls.length)
    }
    expect(looks).toEqual([0, 0, 1])
  })

  it('lives as long as its stream, also without notifications/initialized', async () => {
    const { cluster, client, atB } = await streaming({ endpoint: { sessions: { ttlMs: 20_000 } } })
    await atB.post(initializeMessage())
    for (let i = 0; i < 30; i++) await cluster.clock.advance(5_000)
    expect((await atB.post(ping('late'))).status).toBe(202)
    expect(await answerTo(client, 'late')).toMatchObject({ result: {} })
  })

  it('ends with its stream if nobody initializes it in time', async () => {
    const { cluster, sink, atB } = await streaming()
    await cluster.clock.advance(60_000)
    expect(sink.closed).toBe(true)
    expect(cluster.sessions.size).toBe(0)
    expect((await atB.post(initializeMessage())).status).toBe(404)
  })

  it('ends with its record before initialize', async () => {
    const { cluster, client, sink } = await streaming()
    cluster.sessions.delete({ principal: '', id: client.sessionId })
    expect((await client.post(ping())).status).toBe(404)
    expect(sink.closed).toBe(true)
  })

  it('begins only if its record can be stored', async () => {
    const cluster = createCluster()
    const a = nodeOf(cluster, { endpoint: { sessions: { max: 1 } } })
    const { sessions } = a.shared
    const create = sessions.create.bind(sessions)
    sessions.create = () => Promise.reject(new Error('down'))
    expect((await openSse(a)).opened.status).toBe(503)
    sessions.create = create
    expect((await openSse(a)).opened.status).toBe(200)
  })
})

describe('a node that stops', () => {
  it('refuses a stream whose record is being stored, and deletes the record', async () => {
    const cluster = createCluster()
    const a = nodeOf(cluster)
    const { sessions } = a.shared
    const create = sessions.create.bind(sessions)
    const late = deferred()
    sessions.create = async (...args) => {
      await late.promise
      return create(...args)
    }
    const opening = openSse(a)
    await settled()
    const closing = a.server.close({ deadline: 10 })
    await cluster.clock.advance(10)
    late.resolve()
    expect((await opening).opened.status).toBe(503)
    await cluster.clock.advance(1_000)
    await closing
    expect(cluster.sessions.size).toBe(0)
  })

  it('answers its calls on the stream of another one, which goes on', async () => {
    const { cluster, client, b, atB, atC } = await started()
    await atB.call('hold', {}, 'running')
    const { nodes } = b.shared
    const send = nodes.send.bind(nodes)
    const uses: number[] = []
    nodes.send = async (...args) => {
      await settled()
      uses.push(b.uses())
      return send(...args)
    }
    const closing = b.server.close({ deadline: 1_000 })
    expect((await atB.post(ping())).status).toBe(503)
    await cluster.clock.advance(1_000)
    await closing
    expect(await answerTo(client, 'running')).toMatchObject({
      error: { message: 'The server ended the call' },
    })
    expect(b.uses()).toBe(0)
    // It has sent the answer before it has left the stores.
    expect(Math.min(...uses)).toBeGreaterThan(0)
    expect((await atC.post(ping('next'))).status).toBe(202)
    expect(await answerTo(client, 'next')).toMatchObject({ result: {} })
  })

  it('ends its streams, and their sessions at the other ones', async () => {
    const { cluster, a, sink, atB } = await started()
    await a.server.close()
    expect(sink.closed).toBe(true)
    expect(cluster.sessions.size).toBe(0)
    expect((await atB.post(ping())).status).toBe(404)
  })
})

describe('a client that reads slowly', () => {
  const endpoint = { limits: { outboundBytes: 100_000 } }

  it('loses notifications of other nodes beyond a limit, and gets 503 there until it has read', async () => {
    const { cluster, client, sink, b, atB } = await started({ endpoint })
    let dropped = 0
    b.server.on('overflow', () => dropped++)
    sink.stall()
    await atB.call('flood', {}, 'flood')
    await settled()
    expect(dropped).toBeGreaterThan(50)
    expect((await atB.call('big')).status).toBe(202)
    const refused = atB.post(ping('late'))
    await settled()
    await cluster.clock.advance(1_000)
    expect((await refused).status).toBe(503)
    expect((await atB.post(cancel(5))).status).toBe(202)
    sink.drain()
    await answerTo(client, 'flood')
    expect((await atB.post(ping('again'))).status).toBe(202)
    expect(await answerTo(client, 'again')).toMatchObject({ result: {} })
  })

  it('has no more notifications waiting for it than one node may send, however many send', async () => {
    const { sink, a, atB, atC } = await started({ endpoint })
    sink.stall()
    await Promise.all([atB.call('flood', {}, 'b'), atC.call('flood', {}, 'c')])
    await settled()
    expect(a.endpoint.stats().queuedBytes).toBeLessThan(102_000)
  })

  it('is not one whose reading another node does not know of yet', async () => {
    const { a, client, atB } = await started({ endpoint: { limits: { outboundBytes: 1_000 } } })
    const { nodes } = a.shared
    const send = nodes.send.bind(nodes)
    const late = deferred()
    nodes.send = async (...args) => {
      await late.promise
      return send(...args)
    }
    for (let i = 0; i < 13; i++) await atB.call('big', {}, `big-${i}`)
    await answerTo(client, 'big-12')
    const posted = atB.post(ping('next'))
    await settled()
    late.resolve()
    expect((await posted).status).toBe(202)
  })

  it('delays a handler at another node no longer than it needs to read', async () => {
    const { client, atB } = await started({ endpoint })
    const params = { name: 'long', arguments: {}, _meta: { progressToken: 'p' } }
    await atB.post(request('tools/call', params, 7))
    await client.sink.until(() => client.sink.text.includes('"progress":300,'))
    const steps = messagesOf(client).flatMap(({ params: sent }) => sent?.['progress'] ?? [])
    expect(steps.length).toBeGreaterThanOrEqual(300)
  })

  it('delays a handler at another node by 5 s for each message that the client does not read', async () => {
    const { cluster, sink, a, atB } = await started()
    sink.stall()
    const params = { name: 'long', arguments: {}, _meta: { progressToken: 'p' } }
    await atB.post(request('tools/call', params, 7))
    for (let i = 0; i < 3; i++) await settled()
    const waiting: number[] = []
    for (const ms of [0, 4_999, 1, 5_000]) {
      await cluster.clock.advance(ms)
      waiting.push(a.endpoint.stats().queuedBytes)
    }
    const [before = 0, , one = 0, two = 0] = waiting
    expect([waiting[1], one - before > 1_000, two - one > 1_000]).toEqual([before, true, true])
  })

  it('is cut when other nodes send more than may wait', async () => {
    const { client, sink, a, b, atB } = await started({
      endpoint,
      server: { limits: { maxResultBytes: 10_000 } },
    })
    const overflows: string[] = []
    a.server.on('overflow', ({ action }) => overflows.push(action))
    sink.stall()
    const frames = [{ frame: JSON.stringify('x'.repeat(150_000)) }]
    for (let seq = 1; seq < 5; seq++)
      await b.shared.nodes.send(a.id, {
        principal: '',
        session: client.sessionId,
        from: b.id,
        mail: { kind: 'frames', outlet: 'forged', seq, frames },
      })
    await settled()
    expect([sink.closed, overflows]).toEqual([true, ['cut']])
    expect((await atB.post(ping())).status).toBe(404)
  })
})

describe('mail to the node of a stream', () => {
  it('that is sent again is written once', async () => {
    const { cluster, client, b, atB } = await started()
    const { nodes } = b.shared
    const send = nodes.send.bind(nodes)
    let failures = 2
    nodes.send = async (...args) => {
      const sent = await send(...args)
      if (failures-- > 0) throw new Error('Nobody knows whether it was sent')
      return sent
    }
    await atB.call('echo', { text: 'once' })
    for (let i = 0; i < 5; i++) {
      await settled()
      await cluster.clock.advance(100)
    }
    await atB.call('echo', { text: 'next' }, 3)
    await answerTo(client, 3)
    expect(messagesOf(client).filter(({ id }) => id === 2)).toHaveLength(1)
  })

  it('that finds a full inbox is sent again', async () => {
    const { cluster, client, b, atB } = await started()
    const { nodes } = b.shared
    const send = nodes.send.bind(nodes)
    let left = 2
    nodes.send = (...args) => left-- <= 0 && send(...args)
    await atB.call('echo', { text: 'later' })
    for (let i = 0; i < 5; i++) {
      await settled()
      await cluster.clock.advance(100)
    }
    expect(textOf(await answerTo(client, 2))).toBe('later')
  })

  it('that cannot be sent for 3 s ends the session: a client that reconnects is better off than one that waits', async () => {
    const { cluster, sink, b, atB } = await started()
    b.shared.nodes.send = () => Promise.reject(new Error('down'))
    await atB.call('echo', { text: 'lost' })
    for (let i = 0; i < 40; i++) {
      await settled()
      await cluster.clock.advance(100)
    }
    expect(sink.closed).toBe(true)
  })

  it('renews the credentials of the stream', async () => {
    const cluster = createCluster()
    const [a, b] = [nodeOf(cluster), nodeOf(cluster)]
    const now = Math.floor(cluster.clock.now() / 1_000)
    const until = (seconds: number): Sent => ({ auth: { principal: 'ada', expiresAt: now + seconds } })
    const client = await openSse(a, until(100))
    await client.at(b, until(1_000)).initialize()
    await cluster.clock.advance(500_000)
    expect(client.sink.closed).toBe(false)
    await cluster.clock.advance(600_000)
    expect(client.sink.closed).toBe(true)
  })
})
