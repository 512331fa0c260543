import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import type { KeepAliveOptions } from '../../../src/http/options.ts'
import { createHarness, type Harness, type HarnessOptions, type TestSession } from '../support/harness.ts'

const SECOND = 1_000

function pinging(keepAlive: KeepAliveOptions = {}, more: HarnessOptions = {}) {
  const closed: string[] = []
  const harness: Harness = createHarness({
    ...more,
    endpoint: { streams: { keepAlive: { mode: 'ping', ...keepAlive } }, ...more.endpoint },
    setUp: (server) => {
      server.on('session:close', ({ sessionId }) => closed.push(sessionId))
      server.addTool({
        name: 'wait',
        handler: () => new Promise((resolve) => harness.clock.setTimeout(() => resolve('done'), 50 * SECOND)),
      })
    },
  })
  return { ...harness, closed }
}

const pings = ({ sink }: { sink: { messages: { method?: string }[] } }): readonly string[] =>
  sink.messages.flatMap(({ method, ...message }) =>
    method === 'ping' ? [(message as { id: string }).id] : [],
  )

const answer = (session: TestSession, reply: object): ReturnType<TestSession['post']> =>
  session.post({ jsonrpc: '2.0', ...reply })

describe('keep-alive with pings (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping)', () => {
  it('sends a ping with a new id every 15 s on the GET stream', async () => {
    const { open, clock } = pinging()
    const session = await open()
    const stream = await session.get()
    const ids: string[] = []
    for (let n = 0; n < 10; n++) {
      await clock.advance(15 * SECOND)
      const [id] = pings(stream).slice(-1)
      expect((await answer(session, { id, result: {} })).status).toBe(202)
      ids.push(id ?? '')
    }
    expect(new Set(ids).size).toBe(10)
    expect(stream.sink.closed).toBe(false)
  })

  it('closes a session after three unanswered pings in a row, and logs it', async () => {
    const { open, clock, closed, log } = pinging()
    const session = await open()
    const stream = await session.get()
    await clock.advance(59 * SECOND)
    expect([pings(stream).length, closed]).toEqual([3, []])
    await clock.advance(SECOND)
    expect([closed, stream.sink.closed]).toEqual([[session.id], true])
    expect(log).toContainEqual({
      level: 'info',
      fields: { sessionId: session.id, missed: 3 },
      message: 'A session was closed: its client does not answer pings',
    })
    expect((await session.call('wait')).status).toBe(404)
    expect(clock.pending).toBe(0)
  })

  it('ends the calls of a client that does not respond to pings', async () => {
    const { open, clock, closed } = pinging({ intervalMs: 5 * SECOND, maxMissed: 1 })
    const session = await open()
    await session.get()
    const pending = session.call('wait')
    await settled()
    await clock.advance(10 * SECOND)
    const { sink } = await pending
    expect([closed.length, sink.closed]).toEqual([1, true])
    expect(sink.messages).toMatchObject([{ id: 2, error: { message: 'The server ended the call' } }])
  })

  it.each<[string, (session: TestSession, id: string) => Promise<unknown>]>([
    ['an answer', (session, id) => answer(session, { id, result: {} })],
    [
      'an error',
      (session, id) => answer(session, { id, error: { code: -32601, message: 'Method not found' } }),
    ],
    ['a response to an unknown request', (session) => answer(session, { id: 99, result: {} })],
    ['a call', (session) => answer(session, { id: 5, method: 'ping' })],
    ['a notification', (session) => answer(session, { method: 'notifications/roots/list_changed' })],
    ['a reopened stream', (session) => session.get()],
  ])('treats %s as proof that the client is alive', async (_, live) => {
    const { open, clock, closed } = pinging()
    const session = await open()
    const stream = await session.get()
    for (let n = 0; n < 4; n++) {
      await clock.advance(45 * SECOND)
      await live(session, pings(stream).at(-1) ?? '')
    }
    expect(closed).toEqual([])
    await clock.advance(60 * SECOND)
    expect(closed).toEqual([session.id])
  })

  it('does not close sessions without a GET stream', async () => {
    const { open, clock, closed } = pinging()
    const stream = await (await open()).get()
    await open()
    await clock.advance(40 * SECOND)
    stream.request.leave()
    await clock.advance(600 * SECOND)
    expect(closed).toEqual([])
  })

  it('sends pings without an event id, and does not store them', async () => {
    const { open, clock } = pinging()
    const session = await open({ version: '2025-11-25' })
    const stream = await session.get()
    await clock.advance(15 * SECOND)
    const [primer, ping] = stream.sink.events
    expect(ping?.id).toBeUndefined()
    const resumed = await session.get({ 'last-event-id': primer?.id })
    expect([resumed.status, pings(resumed)]).toEqual([200, []])
  })

  it('keeps call streams open with comments instead of pings', async () => {
    const { open, clock } = pinging()
    const pending = (await open()).call('wait')
    await settled()
    await clock.advance(49 * SECOND)
    expect((await pending).sink.text).toContain(': keep-alive\n\n'.repeat(3))
    await clock.advance(SECOND)
  })

  it('uses a single timer for all sessions, and sends no pings in `comment` mode', async () => {
    const { open, clock } = pinging({ mode: 'comment' })
    const stream = await (await open()).get()
    await clock.advance(600 * SECOND)
    expect(pings(stream)).toEqual([])
    const many = pinging()
    await many.open()
    const before = many.clock.pending
    for (let n = 0; n < 10; n++) await many.open()
    expect(many.clock.pending).toBe(before)
  })
})
