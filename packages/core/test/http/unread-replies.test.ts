import { callTool, deferred, ping, request, requestMeta, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AuthInfo } from '../../src/stores/principal.ts'
import {
  type Answer,
  createHarness,
  FakeRequest,
  type Harness,
  type Sent,
  TestSink,
} from './support/harness.ts'

const LIMIT = 400_000
const OF_CALLER = LIMIT / 2
const ALICE: AuthInfo = { principal: 'alice' }
const BOB: AuthInfo = { principal: 'bob' }
const REFUSED = 'Too many replies wait for their clients, try again shortly'
const LOST =
  'The call has ended, but its result is lost: too many replies wait for their clients to read them'

interface Bench extends Harness {
  /** Lets the calls of `held` end. */
  readonly gate: { resolve(): void }
  readonly overflows: object[]
  /** Queues a reply of this many bytes to the caller. */
  readonly queue: (
    bytes: number,
    auth?: AuthInfo,
    sent?: Sent,
    shorten?: (atOnce: boolean) => void,
  ) => Promise<() => void>
}

function bench(): Bench {
  const gate = deferred()
  const harness = createHarness({
    endpoint: { limits: { queuedBytes: LIMIT } },
    setUp(server) {
      const inputSchema = z.object({ size: z.number() })
      server.addTool({ name: 'give', inputSchema, handler: ({ size }) => 'x'.repeat(size) })
      server.addTool({
        name: 'held',
        inputSchema,
        async handler({ size }) {
          await gate.promise
          return 'x'.repeat(size)
        },
      })
      server.addTool({
        name: 'say',
        inputSchema,
        async handler({ size }, ctx) {
          await ctx.progress(1)
          return 'x'.repeat(size)
        },
      })
    },
  })
  const overflows: object[] = []
  harness.server.on('overflow', (overflow) => void overflows.push(overflow))
  const queue: Bench['queue'] = async (bytes, auth, sent = {}, shorten) => {
    const asked = new FakeRequest({ ...sent, ...modern('give', 100_000, auth) })
    await harness.endpoint.handle(asked, asked.body)
    return harness.endpoint.hold(asked, bytes, shorten)
  }
  return { ...harness, gate, overflows, queue }
}

/** Returns a call without a session. */
function modern(name: string, size: number, auth?: AuthInfo): Sent {
  const params = { name, arguments: { size }, _meta: { ...requestMeta({}), progressToken: 1 } }
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  return { body: request('tools/call', params), headers, ...(auth && { auth }) }
}

const statusesOf = async (...answers: Promise<Answer>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status)

describe('a caller whose unread replies exceed half of `limits.queuedBytes`', () => {
  it.each([
    ['a principal', ALICE, undefined],
    ['another principal', ALICE, BOB],
  ])('receives 503 for its calls, while other callers do not: %s', async (_, auth, other) => {
    const { endpoint, queue, send } = bench()
    const read = await queue(OF_CALLER, auth)
    expect((await send(modern('give', 1, auth))).status).toBe(200)
    const readMore = await queue(1, auth)
    const refused = await send(modern('give', 1, auth))
    expect([refused.status, refused.headers['retry-after'], refused.json.error?.message]).toEqual([
      503,
      '1',
      REFUSED,
    ])
    expect((await send(modern('give', 1, other))).status).toBe(200)
    expect(endpoint.stats()).toMatchObject({ queuedBytes: OF_CALLER + 1, refusals: { unreadReplies: 1 } })
    readMore()
    expect((await send(modern('give', 1, auth))).status).toBe(200)
    read()
    expect(endpoint.stats().queuedBytes).toBe(0)
  })

  it('is told apart from other anonymous callers by its address', async () => {
    const { queue, send } = bench()
    const at = (remoteAddress: string): Sent => ({ ...modern('give', 1), remoteAddress })
    await queue(OF_CALLER + 1, undefined, at('192.0.2.1'))
    expect(await statusesOf(send(at('192.0.2.1')), send(at('192.0.2.2')))).toEqual([503, 200])
  })

  it('loses its oldest reply immediately if it holds the most bytes when the total exceeds the limit', async () => {
    const { queue } = bench()
    const cut: string[] = []
    const cutting = (name: string) => (atOnce: boolean) => void cut.push(`${name} ${atOnce}`)
    await queue(OF_CALLER / 2, ALICE, undefined, cutting('first'))
    await queue(OF_CALLER / 2, ALICE, undefined, cutting('second'))
    await queue(OF_CALLER - 1, BOB, undefined, cutting('of Bob'))
    expect(cut).toEqual([])
    await queue(2, undefined, undefined, cutting('new'))
    expect(cut).toEqual(['first true'])
  })

  it('loses a reply if all replies together exceed the limit, so that nobody receives 503', async () => {
    const { queue, send } = bench()
    await queue(OF_CALLER, ALICE)
    await queue(OF_CALLER, BOB)
    await queue(1)
    expect(await statusesOf(...[ALICE, BOB, undefined].map((auth) => send(modern('give', 1, auth))))).toEqual(
      [200, 200, 200],
    )
  })

  it.each([
    ['several addresses', 4],
    ['one address', 1],
  ])(
    'loses replies immediately if it is anonymous, so that its address never receives 503: %s',
    async (_, addresses) => {
      const { endpoint, queue, send } = bench()
      const at = (last: number): Sent => ({
        ...modern('give', 1),
        remoteAddress: `192.0.2.${last % addresses}`,
      })
      const cut: number[] = []
      await queue(OF_CALLER, ALICE)
      for (let reply = 0; reply < 20; reply++)
        await queue(40_000, undefined, at(reply), (atOnce) => void (atOnce && cut.push(reply)))
      expect(cut[0]).toBe(0)
      expect(endpoint.stats().queuedBytes).toBeLessThanOrEqual(LIMIT)
      expect(
        await statusesOf(send(at(0)), send(at(1)), send({ ...at(0), remoteAddress: '203.0.113.1' })),
      ).toEqual([200, 200, 200])
    },
  )

  it('loses the streams that it does not read', async () => {
    const { endpoint, send } = bench()
    const sinks: TestSink[] = []
    for (let stream = 0; stream < 4; stream++) {
      const sent = { ...modern('say', 90_000), remoteAddress: `192.0.2.${stream}` }
      const reply = await endpoint.handle(...asking(sent))
      const sink = new TestSink()
      sink.stall()
      reply.open?.(sink)
      sinks.push(sink)
      await settled()
    }
    await expect.poll(() => sinks.map(({ closed }) => closed)).toEqual([true, true, false, false])
    expect((await send({ ...modern('give', 1), remoteAddress: '192.0.2.0' })).status).toBe(200)
  })

  it('can still send pings, notifications, responses and DELETE in its session, but not calls', async () => {
    const { open, queue } = bench()
    const session = await open({ more: { auth: ALICE } })
    await queue(OF_CALLER + 1, ALICE)
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } }
    const response = { jsonrpc: '2.0', id: 1, result: {} }
    expect(await statusesOf(...[ping(), notification, response].map((body) => session.post(body)))).toEqual([
      200, 202, 202,
    ])
    expect(await statusesOf(session.call('give', { size: 1 }), session.get())).toEqual([503, 503])
    expect((await session.delete()).status).toBe(204)
  })

  it('receives 503 for an entire batch if it contains a call', async () => {
    const { open, queue } = bench()
    const session = await open({ version: '2025-03-26' })
    await queue(OF_CALLER + 1)
    expect((await session.post([ping()])).status).toBe(200)
    expect((await session.post([ping(), callTool('give', { size: 1 })])).status).toBe(503)
  })
})

describe('a call that ends while its caller has too many unread replies', () => {
  it.each([
    ['in a session', '2025-11-25'],
    ['without a session', undefined],
  ])('receives a small result unchanged, but an error in place of a large one, %s', async (_, version) => {
    const { gate, open, overflows, queue, send } = bench()
    const session = version === undefined ? undefined : await open({ version })
    const call = (size: number): Promise<Answer> =>
      session?.call('held', { size }) ?? send(modern('held', size))
    const calls = [call(1_000), call(100_000)]
    await settled()
    await queue(OF_CALLER + 1)
    gate.resolve()
    const [small, large] = await Promise.all(calls)
    expect([small?.status, small?.json.error]).toEqual([200, undefined])
    expect([large?.status, large?.json.error]).toEqual([200, { code: -32603, message: LOST }])
    expect(overflows).toMatchObject([{ queue: 'stream', action: 'drop' }])
  })

  it('receives an error in a batch if the responses of the batch are too large together', async () => {
    const { gate, open, queue } = bench()
    const session = await open({ version: '2025-03-26' })
    const answered = session.post([1, 2, 3].map((id) => callTool('held', { size: 40_000 }, { id })))
    await settled()
    await queue(OF_CALLER + 1)
    gate.resolve()
    const { list } = await answered
    expect(list.map(({ error }) => error?.message)).toEqual([undefined, LOST, LOST])
  })
})

describe('limits.queuedBytes', () => {
  it.each([
    ['a principal', { auth: ALICE }, {}],
    ['an anonymous address', { remoteAddress: '192.0.2.1' }, { remoteAddress: '192.0.2.2' }],
  ])('counts a large response on a stream until its client has read it: %s', async (_, caller, other) => {
    const { endpoint, send } = bench()
    const small = (from: Partial<Sent>): Promise<Answer> => send({ ...modern('give', 1), ...from })
    const reply = await endpoint.handle(...asking({ ...modern('say', OF_CALLER), ...caller }))
    const sink = new TestSink()
    sink.stall()
    reply.open?.(sink)
    await expect.poll(() => endpoint.stats().queuedBytes).toBeGreaterThan(OF_CALLER)
    expect(await statusesOf(small(caller), small(other))).toEqual([503, 200])
    // The large chunk is still being sent, so it still counts.
    sink.drain()
    sink.stall()
    await sink.until(() => sink.text.includes('"result"'))
    expect(endpoint.stats().queuedBytes).toBeGreaterThan(OF_CALLER)
    sink.drain()
    await sink.ended()
    expect(endpoint.stats().queuedBytes).toBe(0)
    expect((await small(caller)).status).toBe(200)
  })
})

const asking = (sent: Sent): [FakeRequest, FakeRequest['body']] => {
  const asked = new FakeRequest(sent)
  return [asked, asked.body]
}
