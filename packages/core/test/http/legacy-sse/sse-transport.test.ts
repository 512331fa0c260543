import { deferred, notification, ping, request, settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { McpServer } from '../../../src/index.ts'
import type { EndpointOptions } from '../../../src/http/options.ts'
import {
  createHarness,
  FakeRequest,
  type HarnessOptions,
  initializeMessage,
  type Sent,
  TestSink,
} from '../support/harness.ts'
import { addHold, addMounted } from '../support/tools.ts'
import { openSse, type SseClient } from '../support/sse-client.ts'

const ada = { auth: { principal: 'ada' } }
const bob = { auth: { principal: 'bob' } }
function harness(endpoint: EndpointOptions = {}, more: HarnessOptions = {}) {
  const held = deferred()
  const aborted: string[] = []
  const made = createHarness({
    ...more,
    endpoint: { legacySse: true, streams: { keepAlive: false }, ...endpoint },
    setUp: (server) => {
      server.addTool({ name: 'add', inputSchema: z.object({ a: z.number() }), handler: ({ a }) => a + 1 })
      addHold(server, held.promise, aborted)
      server.addTool({
        name: 'flood',
        inputSchema: z.object({ times: z.number() }),
        handler({ times }, ctx) {
          for (let i = 0; i < times; i++) ctx.log.error('x'.repeat(1_000))
          return 'flooded'
        },
      })
      addMounted(server)
      server.addTool({
        name: 'ask',
        handler: async (_args, ctx) => {
          const { ok } = await ctx.elicit('Sure?', z.object({ ok: z.boolean() }))
          return `ok: ${ok}`
        },
      })
      more.setUp?.(server)
    },
  })
  return { ...made, held, aborted }
}

/** Creates a mount, and a client that has opened its stream. */
async function streaming(endpoint?: EndpointOptions, more?: HarnessOptions, sent?: Sent) {
  const made = harness(endpoint, more)
  const client = await openSse(made, sent)
  return { ...made, client, sink: client.sink }
}

/** Creates a mount, and a client that has opened its session. */
async function started(...given: Parameters<typeof streaming>) {
  const made = await streaming(...given)
  await made.client.initialize()
  return made
}

/** Creates a mount, and a client that has called the tool `ask`. */
async function asked() {
  const made = await streaming()
  await made.client.initialize('2025-06-18', { elicitation: {} })
  await made.client.call('ask', {}, 'asked')
  return made
}

/** Answers the question of the tool `ask`. */
async function agree(client: SseClient): Promise<number> {
  const { sink } = client
  await sink.until(() => sink.text.includes('elicitation/create'))
  const question = sink.events.find(({ data }) => data.includes('elicitation/create'))
  const { id } = JSON.parse(question?.data ?? '') as { id: string }
  return (await client.post({ jsonrpc: '2.0', id, result: { action: 'accept', content: { ok: true } } }))
    .status
}

describe('an event stream', () => {
  it('starts with the URL for messages, and sends every response as a message event', async () => {
    const client = await openSse(harness())
    expect([client.opened.status, client.opened.headers['content-type']]).toEqual([200, 'text/event-stream'])
    expect(client.sink.text).toMatch(/^event: endpoint\ndata: \/message\?sessionId=[0-9a-f-]+\n\n$/)
    const answer = await client.post(initializeMessage('2024-11-05', 'one'))
    expect([answer.status, answer.text]).toEqual([202, 'Accepted'])
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    const [, event] = client.sink.events
    expect(event?.event).toBe('message')
    expect(JSON.parse(event?.data ?? '')).toMatchObject({
      id: 'one',
      result: { protocolVersion: '2024-11-05' },
    })
  })

  it.each([
    ['text/html', 406],
    ['*/*', 200],
  ])('opened with the Accept header %s, has the status %i', async (accept, status) => {
    const { opened } = await openSse(harness(), { headers: { accept } })
    expect(opened.status).toBe(status)
    if (status === 406) expect(opened.json.error?.message).toContain('text/event-stream')
  })

  it('has a session id that is a random version 4 UUID', async () => {
    const made = harness()
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await openSse(made)).sessionId))
    expect(new Set(ids).size).toBe(20)
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'negotiates the revision %s',
    async (version) => {
      const client = await openSse(harness())
      await client.post(initializeMessage(version))
      expect(JSON.parse(client.sink.events[1]?.data ?? '')).toMatchObject({
        result: { protocolVersion: version },
      })
    },
  )

  it('opens after the lifespan has started, but never opens if the lifespan fails', async () => {
    const ready = deferred()
    let fails = true
    const lifespan = async () => {
      await ready.promise
      if (fails) throw new Error('canary')
      return {}
    }
    const made = harness({}, { server: { lifespan } })
    const opening = openSse(made)
    let opened = false
    void opening.then(() => (opened = true))
    await settled()
    expect(opened).toBe(false)
    ready.resolve()
    expect((await opening).opened.status).toBe(500)
    fails = false
    expect((await openSse(made)).opened.status).toBe(200)
  })

  it('opens a session that accepts messages before the client reads anything', async () => {
    const { client } = await streaming()
    client.sink.stall()
    expect((await client.post(initializeMessage())).status).toBe(202)
    expect((await client.call('add', { a: 1 })).status).toBe(202)
    client.sink.drain()
    await client.sink.until(() => client.sink.events.length === 3)
  })

  it('is kept alive with comments', async () => {
    const { client, ...made } = await streaming({ streams: { keepAlive: { intervalMs: 1_000 } } })
    await made.clock.advance(2_000)
    expect(client.sink.text.match(/: keep-alive\n\n/g)).toHaveLength(2)
  })

  it('is closed together with its session after unanswered pings', async () => {
    const { client, sink, ...made } = await started({
      streams: { keepAlive: { mode: 'ping', intervalMs: 1_000, maxMissed: 2 } },
    })
    const pings = (): number => sink.text.split('"method":"ping"').length - 1
    await made.clock.advance(2_000)
    await client.post(ping())
    await made.clock.advance(2_999)
    expect([pings(), sink.closed]).toEqual([4, false])
    await made.clock.advance(1)
    expect([pings(), sink.closed]).toEqual([4, true])
    expect((await client.post(ping())).status).toBe(404)
  })

  it('carries change notifications', async () => {
    const { sink, ...made } = await started()
    made.server.removeTool('add')
    await sink.until(() => sink.text.includes('notifications/tools/list_changed'))
  })

  it('carries several identical notifications only once if the client reads slowly', async () => {
    const { client, sink, ...made } = await started()
    sink.stall()
    await client.call('flood', { times: 100 })
    for (const name of ['add', 'hold', 'ask']) made.server.removeTool(name)
    await settled()
    expect(sink.text).not.toContain('list_changed')
    sink.drain()
    await sink.until(() => sink.text.includes('list_changed'))
    await settled()
    expect(sink.text.match(/list_changed/g)).toHaveLength(1)
  })

  it('carries requests to the client, which sends its response in a POST', async () => {
    const { client } = await asked()
    expect(await agree(client)).toBe(202)
    await client.sink.until(() => client.sink.text.includes('ok: true'))
  })
})

describe('POST /message', () => {
  it('ignores and counts a response to an unknown request', async () => {
    const { client, endpoint } = await streaming()
    await client.initialize('2024-11-05', { elicitation: {} })
    expect((await client.post({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(202)
    expect(endpoint.stats().refusals).toEqual({ unmatchedResponse: 1 })
  })

  it('replies immediately, even if the call takes a long time', async () => {
    const { client, sink, ...made } = await started()
    expect((await client.call('hold')).status).toBe(202)
    await client.post(ping('other'))
    await sink.until(() => sink.text.includes('"other"'))
    made.held.resolve()
    await sink.until(() => sink.text.includes('"held"'))
  })

  it('is served even before notifications/initialized', async () => {
    const client = await openSse(harness())
    await client.post(initializeMessage())
    await client.post(request('tools/list', undefined, 2))
    await client.sink.until(() => client.sink.text.includes('"tools":['))
  })

  it('accepts the session id in a header', async () => {
    const client = await openSse(harness())
    const answer = await client.post(ping(), { query: {}, headers: { 'mcp-session-id': client.sessionId } })
    expect(answer.status).toBe(202)
    const both = { query: { sessionId: 'x' }, headers: { 'mcp-session-id': client.sessionId } }
    expect((await client.post(ping(), both)).status).toBe(404)
  })

  it.each([
    ['{', 400, -32700],
    ['{"jsonrpc":"2.0","id":{},"method":"canary"}', 400, -32600],
    ['[]', 400, -32600],
    ['"canary"', 400, -32600],
  ])('refuses %s without echoing the body or sending anything on the stream', async (raw, status, code) => {
    const { client, sink } = await started()
    const before = sink.text
    const answer = await client.post(undefined, { raw })
    expect([answer.status, answer.json.error?.code]).toEqual([status, code])
    expect(answer.text).not.toContain('canary')
    expect(sink.text).toBe(before)
  })

  it.each([
    ['an unknown session', { query: { sessionId: 'nobody' } }, 404, 'Session not found'],
    ['a missing session id', { query: {} }, 400, 'sessionId query parameter is not provided'],
  ])('refuses %s with plain text', async (_, sent, status, text) => {
    const { client } = await started()
    const answer = await client.post(ping(), sent)
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      status,
      'text/plain; charset=utf-8',
      text,
    ])
  })

  it.each([
    [{ 'content-type': 'text/plain' }, 400],
    [{ 'content-type': 'application/json; charset=utf-8' }, 202],
    [{ accept: 'text/html', 'mcp-protocol-version': '1999-01-01' }, 202],
  ])('checks the headers %j, and replies with the status %i', async (headers, status) => {
    const { client } = await started()
    expect((await client.post(ping(), { headers })).status).toBe(status)
  })

  it('refuses a body larger than the limit', async () => {
    const client = await openSse(harness({ limits: { bodyBytes: 1_000 } }))
    expect((await client.post(ping('x'.repeat(1_000)))).status).toBe(413)
  })

  it('before initialize, sends a result for a ping on the stream, and an error for other requests', async () => {
    const client = await openSse(harness())
    expect((await client.post(ping('early'))).status).toBe(202)
    expect((await client.call('add', { a: 1 })).status).toBe(202)
    const messages = client.sink.events.slice(1).map(({ data }) => JSON.parse(data) as object)
    expect(messages).toEqual([
      { jsonrpc: '2.0', id: 'early', result: {} },
      expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32600 }) }),
    ])
  })

  it('returns an error for a second initialize request', async () => {
    const { client, sink } = await started()
    await client.post(initializeMessage('2024-11-05', 'again'))
    await sink.until(() => sink.text.includes('"again"'))
    expect(sink.text).toContain('The session is initialized already')
  })

  it('is refused as busy while initialize is in progress', async () => {
    const told = deferred()
    const made = harness({}, { server: { instructions: () => told.promise.then(() => 'Read me') } })
    const client = await openSse(made)
    const opening = client.post(initializeMessage())
    await settled()
    const second = await client.post(ping())
    expect([second.status, second.headers['retry-after']]).toEqual([503, '1'])
    told.resolve()
    expect((await opening).status).toBe(202)
    expect(client.sink.text).toContain('Read me')
  })

  it('is served with the auth and locals of the POST', async () => {
    const { client } = await started({}, {}, ada)
    await client.post(request('tools/call', { name: 'mounted' }, 3), {
      auth: { principal: 'ada', scopes: ['new'] },
      mount: 'second',
    })
    await client.sink.until(() => client.sink.text.includes('second'))
    expect(client.sink.text).toContain('new')
  })

  it('accepts a batch in the revision that supports batches, and responds with a batch', async () => {
    const client = await openSse(harness())
    await client.initialize('2025-03-26')
    const note = notification('notifications/unknown')
    expect((await client.post([ping('a'), note, ping('b')])).status).toBe(202)
    await client.sink.until(() => client.sink.text.includes('"b"'))
    const batch = JSON.parse(client.sink.events.at(-1)?.data ?? '') as { id: string }[]
    expect(batch.map(({ id }) => id)).toEqual(['a', 'b'])
    expect((await client.post([note])).status).toBe(202)
  })

  it('refuses a batch in other revisions, and before initialize', async () => {
    const client = await openSse(harness())
    expect((await client.post([ping()])).status).toBe(400)
    await client.initialize('2025-06-18')
    expect((await client.post([ping()])).status).toBe(400)
  })
})

describe('HTTP+SSE limits', () => {
  it('cause excess calls to be refused in the reply to the POST', async () => {
    const { client, sink, ...made } = await started({}, { server: { limits: { running: 1, inFlight: 2 } } })
    const statuses = []
    for (const id of [1, 2, 3]) statuses.push((await client.call('hold', {}, `call-${id}`)).status)
    expect(statuses).toEqual([202, 202, 503])
    made.held.resolve()
    await sink.until(() => sink.text.includes('"call-2"'))
    expect(sink.text).not.toContain('"call-3"')
  })

  it('drop notifications for a client that reads slowly, but keep its responses', async () => {
    const made = harness({ limits: { outboundBytes: 10_000 } })
    const overflows: string[] = []
    made.server.on('overflow', ({ queue, action }) => overflows.push(`${queue} ${action}`))
    const client = await openSse(made)
    await client.initialize()
    client.sink.stall()
    await client.call('flood', { times: 100 }, 'first')
    expect(overflows.length).toBeGreaterThan(80)
    expect(new Set(overflows)).toEqual(new Set(['stream drop']))
    for (let id = 0; id < 3; id++) await client.call('add', { a: 1 }, 'x'.repeat(900) + id)
    const refused = await client.post(ping('late'))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect((await client.post({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(202)
    client.sink.drain()
    await client.sink.until(() => client.sink.text.includes('"first"'))
    expect((await client.post(ping('again'))).status).toBe(202)
  })

  it('allow a stalled client up to `outboundBytes` of queued notifications, and drop the rest', async () => {
    const outboundLimit = 1_048_576
    const setUp = (server: McpServer) =>
      void server.addResource({ uri: 'log://all', name: 'all', handler: () => '' })
    const { client, ...made } = await started({}, { setUp })
    let dropped = 0
    made.server.on('overflow', ({ bytes }) => (dropped += bytes))
    await client.post(request('resources/subscribe', { uri: 'log://all' }, 2))
    client.sink.stall()
    const before = client.sink.text.length
    for (let line = 0; line < 5_000; line++)
      made.server.notify.resourceUpdated(`log://${line}/${'x'.repeat(2_000)}`, { within: 'log://all' })
    const { queuedBytes } = made.endpoint.stats()
    client.sink.drain()
    await client.call('add', { a: 1 }, 'last')
    await client.sink.until(() => client.sink.text.includes('"last"'))
    expect(client.sink.text.length - before).toBeLessThan(outboundLimit * 1.1)
    expect(queuedBytes).toBeGreaterThan(outboundLimit * 0.9)
    expect(queuedBytes).toBeLessThanOrEqual(outboundLimit)
    expect(dropped).toBeGreaterThan(8_000_000)
  })

  it('close a stream on which no session is opened in time', async () => {
    const made = harness()
    const idle = await openSse(made)
    const used = await openSse(made)
    await used.initialize()
    await made.clock.advance(60_000)
    expect([idle.sink.closed, used.sink.closed]).toEqual([true, false])
    expect((await idle.post(initializeMessage())).status).toBe(404)
    await made.clock.advance(3_600_000)
    expect(used.sink.closed).toBe(false)
  })

  it('apply to HTTP+SSE and Streamable HTTP sessions together', async () => {
    const made = harness({ sessions: { max: 3 } })
    const [first, second] = [await openSse(made, ada), await openSse(made, ada)]
    const streamable = await made.open({ more: ada })
    expect((await openSse(made, ada)).opened.status).toBe(200)
    expect((await streamable.post(ping())).status).toBe(404)
    const refused = await openSse(made, ada)
    expect([refused.opened.status, refused.opened.headers['retry-after']]).toEqual([503, '1'])
    first.opened.request.leave()
    expect((await openSse(made, ada)).opened.status).toBe(200)
    expect(second.sink.closed).toBe(false)
  })

  it('reserve half of the slots for principals, so that anonymous connections cannot fill all slots', async () => {
    const made = harness({ sessions: { max: 4 } })
    const opened = async (who?: Sent): Promise<number> => (await openSse(made, who)).opened.status
    expect([await opened(), await opened(), await opened()]).toEqual([200, 200, 503])
    expect([await opened(ada), await opened(bob), await opened(ada)]).toEqual([200, 200, 503])
  })

  it('apply to each principal separately', async () => {
    const made = harness({ sessions: { maxPerPrincipal: 1 } })
    const first = await openSse(made, ada)
    expect((await openSse(made, ada)).opened.status).toBe(503)
    expect((await openSse(made, bob)).opened.status).toBe(200)
    first.opened.request.leave()
    expect((await openSse(made, ada)).opened.status).toBe(200)
  })
})

describe('the session of an event stream', () => {
  it('is unknown to other principals', async () => {
    const { client, ...made } = await started({}, {}, ada)
    const foreign = await client.post(ping(), bob)
    const nobody = await made.send({ route: 'message', query: { sessionId: client.sessionId }, body: ping() })
    const unknown = await made.send({ ...ada, route: 'message', query: { sessionId: 'x' }, body: ping() })
    expect(foreign.reply).toBe(unknown.reply)
    expect(nobody.reply).toBe(unknown.reply)
    expect((await client.post(ping())).status).toBe(202)
  })

  it('cannot be used over Streamable HTTP, and vice versa', async () => {
    const { client, ...made } = await started()
    expect((await made.post(ping(), { 'mcp-session-id': client.sessionId })).status).toBe(404)
    const { id } = await made.open()
    expect((await made.send({ route: 'message', query: { sessionId: id }, body: ping() })).status).toBe(404)
  })

  it('ends with the stream, so that running calls are aborted and session:close is emitted once', async () => {
    const made = harness()
    const heard: string[] = []
    made.server.on('session:open', ({ revision }) => heard.push(`open ${revision}`))
    made.server.on('session:close', () => heard.push('close'))
    const client = await openSse(made)
    await client.initialize()
    await client.call('hold', {}, 'running')
    await settled()
    client.opened.request.leave()
    expect(made.aborted).toEqual(['running'])
    expect((await client.post(ping())).status).toBe(404)
    made.held.resolve()
    await settled()
    expect(heard).toEqual(['open 2024-11-05', 'close'])
    await made.endpoint.close()
    expect(heard).toHaveLength(2)
    expect(made.clock.pending).toBe(0)
  })

  it('frees its timers and its slot when it ends', async () => {
    const made = harness({ sessions: { max: 5 } })
    for (let i = 0; i < 100; i++) {
      const client = await openSse(made)
      if (i % 2 === 0) await client.initialize()
      client.opened.request.leave()
    }
    expect(made.clock.pending).toBe(0)
    for (let i = 0; i < 5; i++) expect((await openSse(made, ada)).opened.status).toBe(200)
  })

  it('ends if the client disconnects before the stream opens', async () => {
    const made = harness({ sessions: { max: 1 } })
    const get = new FakeRequest({ route: 'sse', method: 'GET' })
    const reply = await made.endpoint.handle(get, get.body)
    expect((await openSse(made)).opened.status).toBe(503)
    get.leave()
    const sink = new TestSink()
    reply.open?.(sink)
    expect(sink.closed).toBe(true)
    expect((await openSse(made)).opened.status).toBe(200)
  })

  it('is not opened by initialize after the stream has closed', async () => {
    const told = deferred()
    const made = harness({}, { server: { instructions: () => told.promise.then(() => 'late') } })
    const heard: string[] = []
    made.server.on('session:open', () => heard.push('open'))
    const client = await openSse(made)
    const opening = client.post(initializeMessage())
    await settled()
    client.opened.request.leave()
    told.resolve()
    expect((await opening).status).toBe(404)
    expect(heard).toEqual([])
  })
})

describe('endpoint.close', () => {
  it('refuses new streams and requests, but waits for running calls and accepts responses', async () => {
    const { client, ...made } = await asked()
    await client.sink.until(() => client.sink.text.includes('elicitation/create'))
    const closed = made.endpoint.close()
    expect((await openSse(made)).opened.status).toBe(503)
    expect((await client.post(ping())).status).toBe(503)
    expect(await agree(client)).toBe(202)
    await closed
    expect(client.sink.text).toContain('ok: true')
    expect(client.sink.closed).toBe(true)
    expect(made.clock.pending).toBe(0)
  })

  it('waits at most until the deadline', async () => {
    const { client, sink, ...made } = await started()
    await client.call('hold', {}, 'running')
    const closed = made.endpoint.close({ deadline: 1_000 })
    await made.clock.advance(1_000)
    await closed
    expect([sink.closed, made.aborted]).toEqual([true, ['running']])
    expect(JSON.parse(sink.events.at(-1)?.data ?? '')).toMatchObject({
      id: 'running',
      error: { code: -32603, message: 'The server ended the call' },
    })
  })
})

describe('the HTTP+SSE routes of a mount', () => {
  it('do not exist by default', async () => {
    const { send } = createHarness()
    expect((await send({ route: 'sse', method: 'GET' })).status).toBe(404)
    expect((await send({ route: 'message', body: ping() })).status).toBe(404)
  })

  it('require sessions', () => {
    expect(() => harness({ stateless: true })).toThrow(expect.objectContaining({ code: 'ERR_MCP_OPTION' }))
  })

  it('negotiate only the revisions that the mount serves', async () => {
    const client = await openSse(harness({ revisions: ['2025-03-26', '2024-11-05'] }))
    await client.post(initializeMessage('2025-11-25'))
    expect(client.sink.text).toContain('"protocolVersion":"2025-03-26"')
  })

  it('announce a message path that includes the path prefix of `publicUrl`', async () => {
    const made = harness({ publicUrl: 'https://mcp.example.com/tools/mcp' })
    const client = await openSse(made, { path: '/sse', headers: { host: 'mcp.example.com' } })
    expect(client.address).toBe(`/tools/message?sessionId=${client.sessionId}`)
  })

  it('check the Host and Origin headers, and are named in the `reject` event', async () => {
    const made = harness()
    const heard: string[] = []
    made.server.on('reject', ({ route, reason }) => heard.push(`${route} ${reason}`))
    const headers = { origin: 'https://evil.example' }
    expect((await made.send({ route: 'sse', method: 'GET', headers })).status).toBe(403)
    expect((await made.send({ route: 'message', body: ping(), headers })).status).toBe(403)
    expect((await made.send({ route: 'message', body: ping() })).status).toBe(400)
    expect(heard).toEqual(['sse forbiddenOrigin', 'message forbiddenOrigin', 'message noSessionId'])
  })

  it('both require authentication', async () => {
    const made = harness({ authenticate: () => undefined })
    expect((await made.send({ route: 'sse', method: 'GET' })).status).toBe(401)
    expect((await made.send({ route: 'message', body: ping() })).status).toBe(401)
  })
})

describe('a server selector', () => {
  const serverOf = (name: string): McpServer => {
    const server = new McpServer({ name, version: '1' }, { logger: silent })
    server.addTool({ name: 'name', handler: () => name })
    return server
  }

  it('is called once, when the stream opens', async () => {
    const servers = { ada: serverOf('of ada'), bob: serverOf('of bob') }
    let chosen = 0
    const select: HarnessOptions['select'] = ({ auth }) => {
      chosen++
      return servers[auth?.principal as 'ada' | 'bob']
    }
    const made = harness({}, { select })
    for (const [who, name] of [
      [ada, 'of ada'],
      [bob, 'of bob'],
    ] as const) {
      const client = await openSse(made, who)
      await client.initialize()
      await client.call('name')
      await client.sink.until(() => client.sink.text.includes(`"text":"${name}"`))
    }
    expect(chosen).toBe(2)
    expect((await openSse(made)).opened.status).toBe(404)
  })

  it('can return a server that is closed later, which also closes the streams of that server', async () => {
    const server = serverOf('closing')
    const made = harness({}, { select: () => server })
    const idle = await openSse(made)
    const used = await openSse(made)
    await used.initialize()
    await server.close()
    expect([idle.sink.closed, used.sink.closed]).toEqual([true, true])
    expect((await used.post(ping())).status).toBe(404)
  })
})
