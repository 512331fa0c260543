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
  /** The promise for which the tool `hold` waits. */
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
    server.addTool({ name: 'scoped', scopes: ['admin'], handler: () => 'scoped' })
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

/** Starts three nodes, and opens the client's stream on the first one. */
async function streaming(options?: HarnessOptions, sent?: Sent) {
  const cluster = createCluster()
  const [a, b, c] = [nodeOf(cluster, options), nodeOf(cluster, options), nodeOf(cluster, options)]
  const client = await openSse(a, sent)
  return { cluster, a, b, c, client, sink: client.sink, atB: client.at(b), atC: client.at(c) }
}

/** Starts three nodes, opens the stream on the first one, and sends `initialize` to the second one. */
async function started(options?: HarnessOptions, sent?: Sent) {
  const made = await streaming(options, sent)
  await made.atB.initialize('2025-06-18', { elicitation: {} })
  return made
}

/** Returns the messages on a client's stream. */
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

describe('an HTTP+SSE client that may send its messages to any node', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'can initialize revision %s on one node, call every node, and receive all responses on its stream',
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

  it('receives errors and ping responses even before initialize', async () => {
    const { client, atB } = await streaming()
    expect((await atB.post(ping('early'))).status).toBe(202)
    expect(await answerTo(client, 'early')).toMatchObject({ result: {} })
    expect((await atB.call('echo', { text: 'x' })).status).toBe(202)
    expect(await answerTo(client, 2)).toMatchObject({ error: { code: -32600 } })
    expect((await atB.post([ping()])).status).toBe(400)
  })

  it('can initialize only once across all nodes', async () => {
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

  it('is served with the credentials of each message, but the locals of its stream', async () => {
    const { client, a, b } = await started({}, { ...ada, mount: 'first' })
    const auth = {
      principal: 'ada',
      clientId: 'app',
      scopes: ['new'],
      expiresAt: Math.ceil(a.clock.now() / 1_000) + 60,
      extra: { claims: { org: 'acme' } },
    }
    await client.at(b, { auth, mount: 'second' }).call('mounted')
    expect(textOf(await answerTo(client, 2))).toBe(JSON.stringify(['first', auth]))
  })

  it('can send a batch in the revision that supports batches', async () => {
    const { client, atB, atC } = await streaming()
    await atB.initialize('2025-03-26')
    expect((await atC.post([ping('a'), ping('b')])).status).toBe(202)
    await client.sink.until(() => client.sink.text.includes('"b"'))
    expect(messagesOf(client).at(-1)).toMatchObject([{ id: 'a' }, { id: 'b' }])
  })

  it('receives the messages of a call in order', async () => {
    const { client, c, atB } = await started()
    const params = { name: 'report', arguments: {}, _meta: { progressToken: 'p' } }
    await atB.post(request('tools/call', params, 7))
    // A third node receives the client's response to the ping before the call ends.
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

describe('a question that a call asks', () => {
  it('can be answered once, on any node', async () => {
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
  it('ends the call, whichever node receives it', async () => {
    const { a, b, c, client } = await started()
    for (const [id, node] of [a, b, c].entries()) {
      await client.at(node).call('hold', {}, id)
      const { status } = await client.at([b, c, a][id] ?? a).post(cancel(id))
      expect(status).toBe(202)
    }
    await settled()
    expect(a.aborted).toEqual(['0', '1', '2'])
  })
})

describe('change notifications', () => {
  it('reach the stream, even if another node received the subscription', async () => {
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

describe('an HTTP+SSE session', () => {
  it('is unknown to other principals on every node', async () => {
    const { client, a, b, c } = await started({}, ada)
    await client.at(c).call('echo', { text: 'x' })
    for (const node of [a, b, c]) {
      const unknown = await node.send({ ...ada, route: 'message', query: { sessionId: 'x' }, body: ping() })
      for (const who of [bob, {}]) expect((await client.at(node, who).post(ping())).reply).toBe(unknown.reply)
      expect(unknown.status).toBe(404)
    }
    expect((await client.at(b).post(ping())).status).toBe(202)
  })

  it('cannot be used over Streamable HTTP on any node, and vice versa', async () => {
    const { client, a, b, c } = await started()
    const { id } = await a.open()
    for (const node of [a, b, c]) {
      expect((await node.post(ping(), { 'mcp-session-id': client.sessionId })).status).toBe(404)
      const sent = { route: 'message', query: { sessionId: id }, body: ping() } as const
      expect((await node.send(sent)).status).toBe(404)
    }
  })

  it('ends on every node, together with its calls, when its client disconnects', async () => {
    const { client, a, atB, atC } = await started()
    await atC.call('hold', {}, 'running')
    client.opened.request.leave()
    await settled()
    expect(a.aborted).toEqual(['running'])
    for (const at of [atB, atC]) expect((await at.post(ping())).status).toBe(404)
  })

  it('is unknown after the node that holds its stream has stopped', async () => {
    const { a, atB, atC } = await started()
    a.kill()
    expect((await atB.post(ping())).status).toBe(404)
    expect((await atC.post(initializeMessage())).status).toBe(404)
  })

  it('lasts as long as its stream, even if the client never sends notifications/initialized', async () => {
    const { cluster, client, atB } = await streaming({ endpoint: { sessions: { ttlMs: 20_000 } } })
    await atB.post(initializeMessage())
    for (let i = 0; i < 30; i++) await cluster.clock.advance(5_000)
    expect((await atB.post(ping('late'))).status).toBe(202)
    expect(await answerTo(client, 'late')).toMatchObject({ result: {} })
  })

  it('ends together with its stream if the client does not initialize the session in time', async () => {
    const { cluster, sink, atB } = await streaming()
    await cluster.clock.advance(60_000)
    expect(sink.closed).toBe(true)
    expect((await atB.post(initializeMessage())).status).toBe(404)
  })

  it('opens only after its node has joined the other nodes', async () => {
    const cluster = createCluster()
    const a = nodeOf(cluster, { endpoint: { sessions: { max: 1 } } })
    const { nodes } = a.shared
    const join = nodes.join.bind(nodes)
    nodes.join = () => Promise.reject(new Error('down'))
    expect((await openSse(a)).opened.status).toBe(503)
    nodes.join = join
    expect((await openSse(a)).opened.status).toBe(200)
  })
})

describe('server.close on one node', () => {
  it('refuses requests for streams on other nodes, but still forwards responses and cancellations', async () => {
    const { a, b, client, atB } = await started()
    await b.post(ping())
    const session = await b.open()
    const running = session.call('hold', {}, { id: 1 })
    await settled()
    const closing = b.server.close({ deadline: 1_000 })
    expect((await atB.post(ping())).status).toBe(503)
    expect((await atB.post([ping()])).status).toBe(503)
    await client.call('hold', {}, 7)
    expect((await atB.post(cancel(7))).status).toBe(202)
    expect(a.aborted).toEqual(['7'])
    b.held.resolve()
    await Promise.all([running, closing])
  })

  it('refuses messages that still wait for a reply from another node', async () => {
    const { cluster, b, atB } = await started()
    b.shared.nodes.send = () => true
    const posted = atB.post(ping())
    await settled()
    const closing = b.server.close({ deadline: 1_000 })
    await cluster.clock.advance(1_000)
    await closing
    expect((await posted).status).toBe(503)
    expect(b.uses()).toBe(0)
  })

  it('closes the streams of that node, so that other nodes no longer know their sessions', async () => {
    const { a, sink, atB } = await started()
    await a.server.close()
    expect(sink.closed).toBe(true)
    expect((await atB.post(ping())).status).toBe(404)
  })

  it('replies to forwarded messages before the node leaves the others', async () => {
    const { cluster, a, atB } = await streaming()
    const { nodes } = a.shared
    const send = nodes.send.bind(nodes)
    const uses: number[] = []
    nodes.send = async (...args) => {
      await settled()
      uses.push(a.uses())
      return send(...args)
    }
    const posted = atB.post(ping())
    await settled()
    const closing = a.server.close({ deadline: 1_000 })
    expect((await posted).status).toBe(202)
    await cluster.clock.advance(1_000)
    await closing
    expect(uses).toHaveLength(1)
    expect(uses[0]).toBeGreaterThan(0)
  })
})

describe('an HTTP+SSE client that reads slowly', () => {
  const endpoint = { limits: { outboundBytes: 100_000 } }

  it('receives 503 on other nodes until it has caught up, and misses notifications beyond a limit', async () => {
    const { client, sink, a, atB, atC } = await started({ endpoint })
    let dropped = 0
    a.server.on('overflow', () => dropped++)
    sink.stall()
    await Promise.all([atB.call('flood', {}, 'b'), atC.call('flood', {}, 'c')])
    await settled()
    expect(dropped).toBeGreaterThan(50)
    expect(a.endpoint.stats().queuedBytes).toBeLessThan(102_000)
    expect((await atB.call('big')).status).toBe(503)
    expect((await atB.post(cancel(5))).status).toBe(202)
    sink.drain()
    await answerTo(client, 'b')
    expect((await atB.post(ping('again'))).status).toBe(202)
    expect(await answerTo(client, 'again')).toMatchObject({ result: {} })
  })
})

describe('a message for a stream on another node', () => {
  it.each([
    ['a batch before initialize', [ping()]],
    ['an invalid message', { jsonrpc: '1.0' }],
  ])('is refused exactly as on that node: %s', async (_, body) => {
    const { client, atB } = await streaming()
    const [here, there] = [await client.post(body), await atB.post(body)]
    expect(there.status).toBeGreaterThanOrEqual(400)
    expect([there.status, there.headers, there.text]).toEqual([here.status, here.headers, here.text])
  })

  it('is refused with a challenge if its caller lacks scopes, and is counted on that node', async () => {
    const { client, a, b } = await started({}, ada)
    const refused: unknown[] = []
    for (const { server } of [a, b]) server.on('reject', (one) => refused.push(one))
    const [here, there] = [await client.call('scoped'), await client.at(b).call('scoped')]
    expect(there.status).toBe(403)
    expect([there.headers, there.text]).toEqual([here.headers, here.text])
    const rejected = { route: 'message', status: 403, reason: 'insufficientScope' }
    expect(refused).toEqual([rejected, rejected])
    await client.at(b, { auth: { principal: 'ada', scopes: ['admin'] } }).call('scoped', {}, 'allowed')
    expect(textOf(await answerTo(client, 'allowed'))).toBe('scoped')
  })

  it('is not forwarded if the session id was not created by any node', async () => {
    const { a, b, client } = await started()
    const send = vi.spyOn(b.shared.nodes, 'send')
    const mark = /\.[\w-]{6}\./.exec(client.sessionId)?.[0] ?? ''
    const forged = ['x', a.id, `.${a.id}`, `x.${a.id}`, `x${mark}a:b`, `x${mark}${'n'.repeat(33)}`]
    for (const sessionId of [...forged, `${'x'.repeat(161)}${mark}${a.id}`, `x${mark}${b.id}`])
      expect((await b.send({ route: 'message', query: { sessionId }, body: ping() })).status).toBe(404)
    expect(send).not.toHaveBeenCalled()
    expect(
      (await b.send({ route: 'message', query: { sessionId: `x${mark}${a.id}` }, body: ping() })).status,
    ).toBe(404)
  })

  it('does not reach sessions on a server with another name', async () => {
    const cluster = createCluster()
    const a = nodeOf(cluster)
    const other = nodeOf(cluster, { info: { name: 'other', version: '1' } })
    const client = await openSse(a)
    expect((await client.at(other).post(initializeMessage())).status).toBe(404)
  })

  it('is served by the mount that holds the stream if a process has several mounts', async () => {
    const cluster = createCluster()
    const [a, b] = [nodeOf(cluster), nodeOf(cluster)]
    const second = nodeOf(cluster, { server: { shared: a.shared } })
    const [client, other] = [await openSse(a), await openSse(second)]
    for (const one of [client, other]) {
      expect((await one.at(b).post(ping('early'))).status).toBe(202)
      expect(await answerTo(one, 'early')).toMatchObject({ result: {} })
    }
  })

  it('is refused with 503 if no reply arrives within 5 s', async () => {
    const { cluster, a, atB } = await started()
    a.shared.nodes.send = () => Promise.reject(new Error('down'))
    const statuses: number[] = []
    void atB.post(ping()).then(({ status }) => statuses.push(status))
    for (let i = 0; i < 49; i++) {
      await settled()
      await cluster.clock.advance(100)
    }
    expect(statuses).toEqual([])
    await cluster.clock.advance(100)
    await settled()
    expect(statuses).toEqual([503])
  })

  it('is answered even if the other node has to send its reply several times', async () => {
    const { cluster, a, client, atB } = await started()
    const { nodes } = a.shared
    const send = nodes.send.bind(nodes)
    let left = 2
    nodes.send = (...args) => left-- <= 0 && send(...args)
    const posted = atB.call('echo', { text: 'once' })
    for (let i = 0; i < 5; i++) {
      await settled()
      await cluster.clock.advance(100)
    }
    expect((await posted).status).toBe(202)
    expect(textOf(await answerTo(client, 2))).toBe('once')
    expect(messagesOf(client).filter(({ id }) => id === 2)).toHaveLength(1)
  })

  it.each([
    ['cannot be sent', () => Promise.reject(new Error('down'))],
    ['arrives at a full inbox', () => false],
  ])('is refused with 503 if it %s', async (_, send) => {
    const { client, b, atB } = await started()
    b.shared.nodes.send = send
    expect((await atB.call('echo', { text: 'lost' }, 'lost')).status).toBe(503)
    expect((await client.call('echo', { text: 'next' }, 'next')).status).toBe(202)
    await answerTo(client, 'next')
    expect(messagesOf(client).filter(({ id }) => id === 'lost')).toEqual([])
  })

  it('is refused with 503 if its caller already has too many bytes in transit', async () => {
    const { client, b } = await started({ endpoint: { limits: { bodyBytes: 1_000 } } }, ada)
    const { nodes } = b.shared
    const send = nodes.send.bind(nodes)
    const late = deferred()
    nodes.send = async (...args) => {
      await late.promise
      return send(...args)
    }
    const atB = client.at(b)
    const text = 'x'.repeat(800)
    const posted = Array.from({ length: 9 }, (_, i) => atB.call('echo', { text }, `echo-${i}`))
    await settled()
    expect((await atB.post(ping())).status).toBe(503)
    const other = client.at(b, bob).post(ping())
    late.resolve()
    expect(new Set((await Promise.all(posted)).map(({ status }) => status))).toEqual(new Set([202]))
    expect((await other).status).toBe(404)
    expect((await atB.post(ping())).status).toBe(202)
  })

  it('is refused with 500 if it cannot be served because of an error, which is logged', async () => {
    const options = { server: { instructions: () => Promise.reject(new Error('no')) } }
    const { client, a, atB } = await streaming(options)
    const [here, there] = [await client.post(initializeMessage()), await atB.post(initializeMessage())]
    expect([here.status, there.status, there.text]).toEqual([500, 500, here.text])
    expect(a.log.at(-1)).toMatchObject({ level: 'error', fields: { err: new Error('no') } })
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
