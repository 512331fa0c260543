import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import type { McpServer } from '../../src/index.ts'
import type { EndpointOptions } from '../../src/http/options.ts'
import { createHarness, FakeRequest, initializeMessage, type TestSession } from './support/harness.ts'

async function bench(stateless = false, options: EndpointOptions = {}) {
  const finishers: (() => void)[] = []
  const signals: AbortSignal[] = []
  const setUp = (server: McpServer): void => {
    server.addTool({
      name: 'wait',
      handler: (_args, ctx) => {
        signals.push(ctx.signal)
        return new Promise<string>((resolve) => finishers.push(() => resolve('done')))
      },
    })
  }
  const harness = createHarness({ setUp, endpoint: { stateless, ...options } })
  const session = stateless ? (undefined as unknown as TestSession) : await harness.open()
  return { ...harness, session, signals, finish: () => finishers.forEach((finish) => finish()) }
}

const ENDED = { code: -32603, message: 'The server ended the call' }
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe.each(['memory', false] as const)('closing a session with the event store option %s', (store) => {
  const open = async () => {
    const made = await bench(false, store === false ? { streams: { eventStore: false } } : {})
    return { ...made, end: () => made.send({ method: 'DELETE', headers: made.session.headers }) }
  }

  it('ends a running call with status 503 and closes the GET stream', async () => {
    const { session, end, signals, finish } = await open()
    const { sink } = await session.get()
    const running = session.call('wait')
    await settled()
    expect((await end()).status).toBe(204)
    const answer = await running
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    expect(answer.json).toMatchObject({ id: 2, error: ENDED })
    expect(signals[0]?.aborted).toBe(true)
    await sink.ended()
    finish()
  })

  it("sends an error for a running call on the call's open stream", async () => {
    const { session, end, clock } = await open()
    const running = session.call('wait')
    await settled()
    await clock.advance(2_000)
    const { status, sink } = await running
    await end()
    await sink.ended()
    expect(status).toBe(200)
    expect(sink.messages).toMatchObject([{ id: 2, error: ENDED }])
  })
})

describe('endpoint.close', () => {
  it('lets running calls finish, and refuses new calls', async () => {
    const { session, endpoint, finish, post, clock } = await bench()
    const running = session.call('wait')
    await settled()
    const closing = endpoint.close()
    const refused = await session.post(ping)
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect((await post(initializeMessage())).status).toBe(503)
    expect((await session.get()).status).toBe(503)
    finish()
    expect((await running).json).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
    await closing
    await endpoint.closed
    expect(clock.pending).toBe(0)
  })

  it('refuses requests whose bodies have not arrived yet', async () => {
    const { endpoint } = await bench()
    let arrive = (_body: Uint8Array): void => {}
    const body = new Promise<Uint8Array>((resolve) => (arrive = resolve))
    const reply = endpoint.handle(new FakeRequest({ body: initializeMessage() }), () => body)
    await settled()
    const closing = endpoint.close()
    arrive(new TextEncoder().encode(JSON.stringify(initializeMessage())))
    expect(await reply).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } })
    await closing
  })

  it('aborts running calls at the deadline', async () => {
    const { session, endpoint, signals, clock } = await bench()
    const quiet = session.call('wait')
    await settled()
    await clock.advance(1_000)
    const streaming = session.call('wait')
    await settled()
    const closing = endpoint.close({ deadline: 5_000 })
    await clock.advance(4_999)
    expect(signals.some(({ aborted }) => aborted)).toBe(false)
    await clock.advance(1)
    await closing
    for (const { sink } of [await quiet, await streaming]) {
      await sink.ended()
      expect(sink.messages).toMatchObject([{ id: 2, error: ENDED }])
    }
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('aborts calls without sessions at the deadline, too', async () => {
    const { post, endpoint, signals, clock } = await bench(true)
    const running = post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } })
    await settled()
    const closing = endpoint.close({ deadline: 10 })
    await clock.advance(10)
    await closing
    const answer = await running
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    expect(answer.json).toMatchObject({ id: 1, error: ENDED })
    expect(signals[0]?.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('waits at most 1 s for a client that does not read the response to an aborted call', async () => {
    const { session, endpoint, clock } = await bench()
    const pending = session.call('wait')
    await settled()
    await clock.advance(2_000)
    const { sink } = await pending
    sink.stall()
    // A comment that keeps the stream open.
    await clock.advance(15_000)
    const closing = endpoint.close({ deadline: 10 })
    await clock.advance(1_009)
    expect(sink.closed).toBe(false)
    await clock.advance(1)
    await closing
    expect([sink.closed, clock.pending]).toEqual([true, 0])
  })

  it('closes GET streams immediately instead of waiting for running calls', async () => {
    const { open, endpoint, session, finish } = await bench()
    const streams = await Promise.all(Array.from({ length: 20 }, async () => (await open()).get()))
    const running = session.call('wait')
    await settled()
    const closing = endpoint.close()
    await Promise.all(streams.map(({ sink }) => sink.ended()))
    finish()
    expect((await running).json).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
    await closing
  })

  it('accepts a shorter deadline if it is called again', async () => {
    const { session, endpoint, clock } = await bench()
    void session.call('wait')
    await settled()
    const first = endpoint.close({ deadline: 10_000 })
    const second = endpoint.close({ deadline: 10 })
    await clock.advance(10)
    await Promise.all([first, second, endpoint.close()])
    expect(clock.pending).toBe(0)
  })

  it('is called when the server closes', async () => {
    const { server, endpoint, session } = await bench()
    const { sink } = await session.get()
    await server.close()
    await endpoint.closed
    expect(sink.closed).toBe(true)
  })

  it('is called and awaited by Symbol.asyncDispose', async () => {
    const { endpoint, session } = await bench()
    await endpoint[Symbol.asyncDispose]()
    expect((await session.post(ping)).status).toBe(503)
  })

  it('closes a stream that was never sent when its request ends, and logs one warning', async () => {
    const { endpoint, session, log } = await bench()
    for (let again = 0; again < 2; again++) {
      const get = new FakeRequest({ method: 'GET', headers: session.headers })
      endpoint.discard(await endpoint.handle(get, get.body))
      expect(endpoint.stats().openStreams).toBe(1)
      get.leave()
      expect(endpoint.stats().openStreams).toBe(0)
    }
    expect(log.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringContaining('The app replied before the MCP server did')],
    ])
  })

  it('keeps the session records for the next process', async () => {
    const sessionStore = new MemorySessionStore()
    const one = createHarness({ endpoint: { sessions: { store: sessionStore } } })
    const session = await one.open()
    await one.server.close()
    const two = createHarness({ endpoint: { sessions: { store: sessionStore } } })
    expect((await two.post(ping, session.headers)).json).toMatchObject({ id: 1, result: {} })
    expect((await two.post(initializeMessage(), session.headers)).status).toBe(400)
    expect((await two.send({ method: 'DELETE', headers: session.headers })).status).toBe(204)
    expect(sessionStore.size).toBe(0)
  })
})
