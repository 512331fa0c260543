import { deferred } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { callModern } from '../../support/modern-calls.ts'
import { type Answer, createHarness, type Harness, type Sent } from '../support/harness.ts'
import { openSse } from '../support/sse-client.ts'

const ID = 'io.modelcontextprotocol/subscriptionId'
/** The tolerance of one minute, plus 1 ms. */
const OVER = 60_001
const ping = { jsonrpc: '2.0', id: 9, method: 'ping' }

function create(): Harness {
  return createHarness({
    endpoint: { legacySse: true, streams: { keepAlive: false } },
    setUp: (server) => void server.addTool({ name: 'a', handler: () => 'a' }),
  })
}

/** Ann's credentials, which expire in this many seconds, or never. */
const ann = ({ clock }: Harness, seconds?: number): Sent & { readonly auth: object } => ({
  auth: {
    principal: 'ann',
    ...(seconds !== undefined && { expiresAt: clock.now() / 1000 + seconds }),
  },
})

const listen = (harness: Harness, more: Sent): Promise<Answer> =>
  callModern(harness, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, { more })

describe('expiring credentials on a stream', () => {
  it("end subscriptions/listen with a response, and the client's next request is challenged", async () => {
    const harness = create()
    const credentials = ann(harness, 10)
    const { sink } = await listen(harness, credentials)
    await harness.clock.advance(10_000 + OVER - 1)
    expect(sink.closed).toBe(false)
    await harness.clock.advance(1)
    expect(sink.closed).toBe(true)
    expect(sink.messages.at(-1)).toMatchObject({
      id: 7,
      result: { resultType: 'complete', _meta: { [ID]: 7 } },
    })
    const refused = await listen(harness, credentials)
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ])
    expect((await listen(harness, ann(harness, 10))).status).toBe(200)
  })

  it('close the GET stream, but let the session continue with new credentials', async () => {
    const harness = create()
    const session = await harness.open({ version: '2025-11-25', more: ann(harness, 10) })
    const first = await session.get()
    expect(first.status).toBe(200)
    await harness.clock.advance(10_000 + OVER)
    expect(first.sink.closed).toBe(true)
    expect((await session.get()).status).toBe(401)
    harness.server.addTool({ name: 'b', handler: () => 'b' })
    await harness.clock.advance(0)
    const [{ id = '' } = {}] = first.sink.events
    const headers = { ...session.headers, 'last-event-id': id }
    const second = await harness.send({ method: 'GET', headers, ...ann(harness, 10) })
    expect(second.status).toBe(200)
    expect(second.sink.messages).toMatchObject([{ method: 'notifications/tools/list_changed' }])
    expect(second.sink.closed).toBe(false)
    await harness.clock.advance(10_000 + OVER)
    expect(second.sink.closed).toBe(true)
  })

  it('close an HTTP+SSE stream together with its session', async () => {
    const harness = create()
    const client = await openSse(harness, ann(harness, 10))
    await client.initialize()
    await harness.clock.advance(10_000 + OVER)
    expect(client.sink.closed).toBe(true)
    expect((await client.post(ping, ann(harness))).status).toBe(404)
  })

  it('do not close an HTTP+SSE stream if the client has sent newer credentials', async () => {
    const harness = create()
    const client = await openSse(harness, ann(harness, 10))
    await client.initialize()
    const renewed = ann(harness, 100)
    expect((await client.post(ping, renewed)).status).toBe(202)
    await harness.clock.advance(10_000 + OVER)
    expect(client.sink.closed).toBe(false)
    expect((await client.post(ping, renewed)).status).toBe(202)
    await harness.clock.advance(90_000)
    expect(client.sink.closed).toBe(true)
  })

  it('do not close an HTTP+SSE stream if the client has sent credentials that never expire', async () => {
    const harness = create()
    const client = await openSse(harness, ann(harness, 10))
    await client.initialize()
    await client.post(ping, ann(harness))
    await harness.clock.advance(10_000 + OVER)
    expect(client.sink.closed).toBe(false)
  })

  it('are not renewed by another principal', async () => {
    const harness = create()
    const client = await openSse(harness, ann(harness, 10))
    await client.initialize()
    const stranger = { auth: { principal: 'bob', expiresAt: harness.clock.now() / 1000 + 1_000 } }
    expect((await client.post(ping, stranger)).status).toBe(404)
    await harness.clock.advance(10_000 + OVER)
    expect(client.sink.closed).toBe(true)
  })
})

describe('expiring credentials', () => {
  it('do not end the reply to a running call', async () => {
    const harness = createHarness({ server: { limits: { handlerTimeoutMs: 200_000 } } })
    const { promise: released, resolve: release } = deferred()
    harness.server.addTool({ name: 'slow', handler: () => released.then(() => 'done') })
    const call = callModern(harness, 'tools/call', { name: 'slow' }, { more: ann(harness, 1) })
    await harness.clock.advance(0)
    await harness.clock.advance(5_000)
    const { sink } = await call
    await harness.clock.advance(1_000 + OVER)
    expect(sink.closed).toBe(false)
    release()
    await sink.ended()
    expect(sink.messages).toMatchObject([{ result: { content: [{ text: 'done' }] } }])
  })

  it('use one timer per stream, whereas credentials that never expire use none', async () => {
    const harness = create()
    const first = await listen(harness, ann(harness))
    const { pending } = harness.clock
    const second = await listen(harness, ann(harness))
    expect(harness.clock.pending).toBe(pending)
    const expiring = await listen(harness, ann(harness, 10))
    expect(harness.clock.pending).toBe(pending + 1)
    expiring.request.leave()
    expect(harness.clock.pending).toBe(pending)
    for (const { request } of [first, second]) request.leave()
  })

  it('can have any expiry time', async () => {
    const harness = create()
    const { sink } = await listen(harness, ann(harness, 3 * 365 * 86_400))
    await harness.clock.advance(2 * 365 * 86_400_000)
    expect(sink.closed).toBe(false)
    await harness.clock.advance(365 * 86_400_000 + OVER)
    expect(sink.closed).toBe(true)
  })
})
