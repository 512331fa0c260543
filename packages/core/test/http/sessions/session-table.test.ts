import { deferred, settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { LiveSession } from '../../../src/http/sessions/live-session.ts'
import type { McpServer } from '../../../src/index.ts'
import { MemoryEventStore } from '../../../src/stores/memory-event-store.ts'
import { type Answer, createHarness, initializeMessage, type TestSession } from '../support/harness.ts'

const tools = (server: McpServer): void => {
  server.addTool({ name: 'echo', inputSchema: z.object({ text: z.string() }), handler: ({ text }) => text })
}
const ping = (id: string | number = 9): object => ({ jsonrpc: '2.0', id, method: 'ping' })
const alice = { auth: { principal: 'alice' } }
const bob = { auth: { principal: 'bob' } }
/** Options with and without resumable streams. */
const STREAMS = [
  ['an event store', {}],
  ['no event store', { eventStore: false }],
] as const
const bytes = ({ status, headers, text }: Answer): string => JSON.stringify([status, headers, text])

describe('a session over Streamable HTTP', () => {
  it('opens with initialize, serves calls as JSON, and ends with DELETE', async () => {
    const { post, send } = createHarness({ setUp: tools })
    const opened = await post(initializeMessage())
    expect(opened.status).toBe(200)
    expect(opened.json.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'test' } })
    const headers = {
      'mcp-session-id': opened.headers['mcp-session-id'],
      'mcp-protocol-version': '2025-06-18',
    }
    const initialized = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    expect([initialized.status, initialized.text]).toEqual([202, ''])
    const called = await post(
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } },
      headers,
    )
    expect(called.status).toBe(200)
    expect(called.headers['content-type']).toBe('application/json')
    expect(called.json).toMatchObject({ id: 7, result: { content: [{ type: 'text', text: 'hi' }] } })
    const ended = await send({ method: 'DELETE', headers })
    expect(ended.status).toBe(204)
    expect((await post(ping(), headers)).status).toBe(404)
  })

  it('has a unique id with 192 random bits in visible ASCII', async () => {
    const { post } = createHarness()
    const ids = new Set<string>()
    for (let i = 0; i < 200; i++) ids.add((await post(initializeMessage())).headers['mcp-session-id'] ?? '')
    expect(ids.size).toBe(200)
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{45}$/)
  })

  it('ignores an id chosen by the client', async () => {
    const { post } = createHarness()
    const opened = await post(initializeMessage(), { 'mcp-session-id': 'chosen-by-the-client' })
    expect(opened.status).toBe(200)
    expect(opened.headers['mcp-session-id']).not.toBe('chosen-by-the-client')
    expect((await post(ping(), { 'mcp-session-id': 'chosen-by-the-client' })).status).toBe(404)
  })

  it("opens without storing a client's large icons, but is refused for huge client capabilities", async () => {
    const { post } = createHarness()
    const initializeWith = (more: object): object => ({
      ...initializeMessage(),
      params: { protocolVersion: '2025-11-25', capabilities: {}, ...more },
    })
    const icons = [{ src: `data:image/png;base64,${'A'.repeat(100_000)}` }]
    const clientInfo = { name: 'pretty', version: '1', icons }
    expect((await post(initializeWith({ clientInfo }))).status).toBe(200)
    const capabilities = { experimental: { a: { b: 'x'.repeat(20_000) } } }
    const refused = await post(initializeWith({ capabilities }))
    expect([refused.status, refused.json.error?.code]).toEqual([400, -32602])
  })

  it('is not changed by a second initialize', async () => {
    const { open } = createHarness()
    const session = await open({ version: '2025-06-18' })
    const again = await session.post(initializeMessage('2025-11-25', 5))
    expect(again.status).toBe(400)
    expect(again.json).toMatchObject({ id: 5, error: { code: -32600 } })
    expect((await session.post(ping())).json).toMatchObject({ id: 9, result: {} })
  })

  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2026-07-28', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('requested with the version %s, negotiates %s', async (asked, spoken) => {
    const { post } = createHarness()
    expect((await post(initializeMessage(asked))).json.result).toMatchObject({ protocolVersion: spoken })
  })

  it('uses only revisions that the mount serves', async () => {
    const { post } = createHarness({ endpoint: { revisions: ['2025-03-26'] } })
    expect((await post(initializeMessage('2025-11-25'))).json.result).toMatchObject({
      protocolVersion: '2025-03-26',
    })
  })

  it('keeps its revision if a request has no version header', async () => {
    const { open } = createHarness()
    const session = await open({ version: '2025-03-26' })
    const answer = await session.post([ping(1), ping(2)])
    expect(answer.list.map(({ id }) => id)).toEqual([1, 2])
  })
})

describe('sessions of different principals', () => {
  const endpoint = { authenticate: () => undefined }

  it('are unknown to other principals, for every HTTP method', async () => {
    const { open, send } = createHarness()
    const session = await open({ more: alice })
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? ping() : undefined
      const foreign = await send({ method, headers: session.headers, body, ...bob })
      const anonymous = await send({ method, headers: session.headers, body })
      const unknown = await send({ method, headers: { 'mcp-session-id': 'never-was' }, body, ...bob })
      expect(foreign.status).toBe(404)
      expect(bytes(foreign)).toBe(bytes(unknown))
      expect(bytes(anonymous)).toBe(bytes(unknown))
    }
    expect((await session.post(ping())).status).toBe(200)
  })

  it('are all refused if `authenticate` returns nothing', async () => {
    const { send } = createHarness({ endpoint })
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await send({ method, ...(method === 'POST' && { body: initializeMessage() }), ...alice })
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      expect(answer.request.bodyReads).toBe(0)
    }
  })
})

describe('ending a session', () => {
  it('happens after 30 idle minutes, or after 60 s if the session is uninitialized', async () => {
    const { open, post, clock } = createHarness()
    const session = await open()
    const started = await post(initializeMessage())
    const headers = { 'mcp-session-id': started.headers['mcp-session-id'] }
    await clock.advance(59_000)
    expect((await post(ping(), headers)).status).toBe(200)
    await clock.advance(61_000)
    expect((await post(ping(), headers)).status).toBe(404)
    expect((await session.post(ping())).status).toBe(200)
    await clock.advance(30 * 60_000 + 1)
    expect((await session.post(ping())).status).toBe(404)
  })

  it.each([
    ['at least 1 s', 2_000, 60_000, 1_000],
    ['a quarter of the time to live', 40_000, 60_000, 10_000],
    ['a quarter of the time to live of uninitialized sessions', 80_000, 20_000, 5_000],
    ['at most 15 s', 120_000, 90_000, 15_000],
  ])(
    'happens at regular checks, with an interval of %s',
    async (_, ttlMs, uninitializedTtlMs, intervalMs) => {
      const { open, endpoint, clock } = createHarness({
        endpoint: { sessions: { ttlMs, uninitializedTtlMs } },
      })
      await open()
      await clock.advance(ttlMs + intervalMs - 1)
      expect(endpoint.stats().sessions).toBe(1)
      await clock.advance(1)
      expect(endpoint.stats().sessions).toBe(0)
    },
  )

  it('clears all timers of the session', async () => {
    const { open, clock } = createHarness()
    expect(clock.pending).toBe(0)
    const session = await open()
    await session.get()
    expect(clock.pending).toBeGreaterThan(0)
    await session.delete()
    await settled()
    expect(clock.pending).toBe(0)
  })

  it('happens even if no request arrives, and closes the streams of the session', async () => {
    let closed = 0
    const { open, clock } = createHarness({ endpoint: { sessions: { ttlMs: 10_000 } } })
    const session = await open()
    const listener = await session.get()
    listener.request.leave()
    listener.sink
      .ended()
      .then(() => closed++)
      .catch(() => {})
    await clock.advance(20_000)
    expect(clock.pending).toBe(0)
    expect((await session.post(ping())).status).toBe(404)
  })

  it.each(STREAMS)(
    'waits until the session has no running calls or open streams, with %s',
    async (_, streams) => {
      let finish = (): void => {}
      const { open, clock } = createHarness({
        server: { limits: { handlerTimeoutMs: 200_000, maxHandlerTimeoutMs: 200_000 } },
        endpoint: { sessions: { ttlMs: 10_000 }, streams },
        setUp: (server) => {
          server.addTool({
            name: 'long',
            handler: () => new Promise<string>((resolve) => (finish = () => resolve('done'))),
          })
        },
      })
      const busy = await open()
      const answer = busy.call('long')
      const listening = await open()
      const stream = await listening.get()
      await clock.advance(60_000)
      finish()
      const { sink } = await answer
      await sink.ended()
      expect(sink.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
      expect(stream.sink.closed).toBe(false)
      expect((await listening.post(ping())).status).toBe(200)
      stream.request.leave()
      await clock.advance(30_000)
      expect((await listening.post(ping())).status).toBe(404)
    },
  )

  it('makes the mount refuse a request whose body is still being read', async () => {
    const { open, post } = createHarness({ setUp: tools })
    const session = await open()
    const pending = post(ping(), session.headers)
    await session.delete()
    expect((await pending).status).toBe(404)
  })

  it('is not possible for clients if `allowDelete` is false', async () => {
    const { open } = createHarness({ endpoint: { sessions: { allowDelete: false } } })
    const session = await open()
    const refused = await session.delete()
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, POST, OPTIONS'])
    expect((await session.post(ping())).status).toBe(200)
  })
})

describe('sessions.max', () => {
  it('closes the session that has been idle for the longest time', async () => {
    const { open, clock } = createHarness({ endpoint: { sessions: { max: 3 } } })
    const first = await open()
    await clock.advance(1)
    const second = await open()
    await clock.advance(1)
    const third = await open()
    await clock.advance(1)
    await first.post(ping())
    const fourth = await open()
    expect((await second.post(ping())).status).toBe(404)
    for (const session of [first, third, fourth]) expect((await session.post(ping())).status).toBe(200)
  })

  it.each(STREAMS)(
    'keeps active sessions and refuses new ones with 503 and Retry-After, with %s',
    async (_, streams) => {
      const { open, post } = createHarness({ endpoint: { sessions: { max: 2 }, streams } })
      const sessions = [await open(), await open()]
      for (const session of sessions) await session.get()
      const refused = await post(initializeMessage())
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
      for (const session of sessions) expect((await session.post(ping())).status).toBe(200)
    },
  )

  it('is complemented by `maxPerPrincipal`, which does not apply to anonymous clients', async () => {
    const { open, post } = createHarness({ endpoint: { sessions: { maxPerPrincipal: 2 } } })
    const held = [await open({ more: alice }), await open({ more: alice })]
    for (const session of held) expect((await session.get()).status).toBe(200)
    expect((await post(initializeMessage(), undefined, alice)).status).toBe(503)
    expect((await post(initializeMessage(), undefined, bob)).status).toBe(200)
    for (let i = 0; i < 5; i++) await (await open()).get()
    expect((await post(initializeMessage())).status).toBe(200)
  })

  it('closes anonymous sessions to make room for a principal, but not vice versa', async () => {
    const { open, post, clock } = createHarness({ endpoint: { sessions: { max: 2 } } })
    const statusOf = async (session: TestSession): Promise<number> => (await session.post(ping())).status
    const ofAlice = await open({ more: alice })
    await clock.advance(1)
    const anonymous = await open()
    await anonymous.get()
    await clock.advance(1)
    const ofBob = await open({ more: bob })
    expect([await statusOf(anonymous), await statusOf(ofAlice), await statusOf(ofBob)]).toEqual([
      404, 200, 200,
    ])
    expect((await post(initializeMessage())).status).toBe(503)
    await clock.advance(1)
    await statusOf(ofAlice)
    await open({ more: { auth: { principal: 'carol' } } })
    expect([await statusOf(ofAlice), await statusOf(ofBob)]).toEqual([200, 404])
  })

  it('closes uninitialized sessions first', async () => {
    const { open, post, clock } = createHarness({ endpoint: { sessions: { max: 40 } } })
    const kept: TestSession[] = []
    for (let i = 0; i < 20; i++) kept.push(await open())
    for (let i = 0; i < 200; i++) {
      await clock.advance(1)
      expect((await post(initializeMessage())).status).toBe(200)
    }
    const statuses = await Promise.all(kept.map(async (session) => (await session.post(ping())).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  })

  it('keeps active sessions, and a session that was initialized late', async () => {
    const { open, post, clock } = createHarness({ endpoint: { sessions: { max: 4 } } })
    const listening = await open()
    await listening.get()
    await clock.advance(1)
    const late = await post(initializeMessage())
    const headers = { 'mcp-session-id': late.headers['mcp-session-id'] }
    await clock.advance(1)
    const never = await post(initializeMessage())
    await clock.advance(1)
    const used = await open()
    await clock.advance(1)
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    await clock.advance(1)
    await open()
    expect((await post(ping(), { 'mcp-session-id': never.headers['mcp-session-id'] })).status).toBe(404)
    await clock.advance(1)
    await open()
    expect((await used.post(ping())).status).toBe(404)
    expect((await post(ping(), headers)).status).toBe(200)
    expect((await listening.post(ping())).status).toBe(200)
  })

  it('checks at most two sessions, on average, for each session opened during a flood', async () => {
    const { open, post } = createHarness({ endpoint: { sessions: { max: 200 } } })
    for (let i = 0; i < 200; i++) await (await open()).post(ping())
    const looks = vi.spyOn(LiveSession.prototype, 'active', 'get')
    for (let i = 0; i < 400; i++) expect((await post(initializeMessage())).status).toBe(200)
    expect(looks.mock.calls.length).toBeLessThanOrEqual(800)
    looks.mockRestore()
  })

  it('is complemented by `maxPerPrincipal`, which closes uninitialized or idle sessions first', async () => {
    const { open, post, clock } = createHarness({ endpoint: { sessions: { maxPerPrincipal: 2 } } })
    const opened = async (): Promise<TestSession> => {
      await clock.advance(1)
      return open({ more: alice })
    }
    const statusOf = async (headers: object): Promise<number> => {
      await clock.advance(1)
      return (await post(ping(), { ...headers }, alice)).status
    }
    const first = await opened()
    const never = await post(initializeMessage(), undefined, alice)
    const second = await opened()
    expect(await statusOf({ 'mcp-session-id': never.headers['mcp-session-id'] })).toBe(404)
    expect(await statusOf(first.headers)).toBe(200)
    const third = await opened()
    expect([await statusOf(second.headers), await statusOf(first.headers)]).toEqual([404, 200])
    await first.get()
    await statusOf(third.headers)
    await opened()
    expect([await statusOf(third.headers), await statusOf(first.headers)]).toEqual([404, 200])
  })

  it('does not count sessions that were refused', async () => {
    const { post } = createHarness({ endpoint: { sessions: { max: 1, maxPerPrincipal: 1 } } })
    const refused = { ...initializeMessage(), params: {} }
    for (const [message, status] of [
      [refused, 400],
      [refused, 400],
      [initializeMessage(), 200],
    ] as const)
      expect((await post(message, undefined, alice)).status).toBe(status)
  })

  it('counts sessions that are still being opened', async () => {
    const { promise: opened, resolve: open } = deferred()
    const { post } = createHarness({ endpoint: { sessions: { max: 2 } }, server: { lifespan: () => opened } })
    const answers = [1, 2, 3].map(() => post(initializeMessage()))
    const third = await answers[2]
    open()
    expect(third?.status).toBe(503)
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 503])
  })
})

describe('the GET stream', () => {
  it('sends each change notification once per session', async () => {
    const { open, server } = createHarness({ setUp: tools })
    const streams = [await (await open()).get(), await (await open()).get()]
    server.addTool({ name: 'another', handler: () => 'x' })
    await settled()
    for (const { sink } of streams) {
      expect(sink.messages.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
    }
  })

  it('sends change notifications even if the event store fails for other sessions', async () => {
    const eventStore = new MemoryEventStore()
    const append = eventStore.append.bind(eventStore)
    let broken = ''
    eventStore.append = (key, ...rest) => {
      if (key.session === broken) throw new Error('The store is gone')
      return append(key, ...rest)
    }
    const { open, server } = createHarness({ setUp: tools, endpoint: { streams: { eventStore } } })
    const sessions = [await open(), await open(), await open()]
    const streams: Answer[] = []
    for (const session of sessions) streams.push(await session.get())
    broken = sessions[0]?.id ?? ''
    server.addTool({ name: 'another', handler: () => 'x' })
    await settled()
    for (const { sink } of streams) expect(sink.messages).toHaveLength(1)
  })

  it('is replaced by a second GET from the same principal', async () => {
    const { open, server } = createHarness({ setUp: tools })
    const session = await open()
    const first = await session.get()
    const second = await session.get()
    await first.sink.ended()
    server.removeTool('echo')
    await settled()
    expect(first.sink.messages).toEqual([])
    expect(second.sink.messages).toHaveLength(1)
    expect(second.sink.closed).toBe(false)
  })

  it('is not replaced by a GET from another principal', async () => {
    const { open, send, server } = createHarness({ setUp: tools })
    const session = await open({ more: alice })
    const stream = await session.get()
    expect((await send({ method: 'GET', headers: session.headers, ...bob })).status).toBe(404)
    server.removeTool('echo')
    await settled()
    expect(stream.sink.messages).toHaveLength(1)
    expect(stream.sink.closed).toBe(false)
  })

  it('has headers that prevent proxies from buffering it', async () => {
    const { open } = createHarness()
    const { status, headers } = await (await open()).get()
    expect(status).toBe(200)
    expect(headers).toEqual({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
  })

  it('carries a comment every 15 s, with a single timer for all streams', async () => {
    const { open, clock } = createHarness()
    const session = await open()
    const before = clock.pending
    const streams = [await session.get(), await (await open()).get(), await (await open()).get()]
    expect(clock.pending).toBe(before + 1)
    await clock.advance(45_000)
    const [first, ...others] = streams
    expect(first?.sink.text).toBe(': keep-alive\n\n'.repeat(3))
    for (const { sink } of others) expect(sink.text).toBe(': keep-alive\n\n'.repeat(3))
    for (const { request } of streams) request.leave()
    expect(clock.pending).toBe(before)
  })

  it('carries no comments if `keepAlive` is false', async () => {
    const { open, clock } = createHarness({ endpoint: { streams: { keepAlive: false } } })
    const stream = await (await open()).get()
    await clock.advance(60_000)
    expect(stream.sink.text).toBe('')
  })
})
