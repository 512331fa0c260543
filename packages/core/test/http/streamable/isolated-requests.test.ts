import { FakeClock, requestMeta, settled } from '@jetway-apps/test-support'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createHarness,
  FakeRequest,
  type Harness,
  type HarnessOptions,
  initializeMessage,
} from '../support/harness.ts'

/** A platform like Workers: timers end with the request that started them. */
class RequestClock extends FakeClock {
  #request = new Set<unknown>()

  /** Starts another request after the previous one has ended undetected. */
  next(): void {
    for (const timer of this.#request) super.clearTimeout(timer)
    this.#request = new Set()
  }
  override setTimeout(run: () => void, ms: number): unknown {
    const timer = super.setTimeout(run, ms)
    this.#request.add(timer)
    return timer
  }
  override clearTimeout(timer: unknown): void {
    if (!this.#request.has(timer)) throw new Error('Cannot perform I/O on behalf of a different request')
    super.clearTimeout(timer)
  }
}

function createApart({ server, ...options }: HarnessOptions = {}) {
  const clock = new RequestClock()
  const harness = createHarness({
    setUp: (made) => {
      made.addTool({ name: 'soon', handler: () => Promise.resolve('done') })
      made.addTool({ name: 'never', handler: () => new Promise<string>(() => {}) })
    },
    server: { ...server, clock, limits: { handlerTimeoutMs: 60_000 } },
    ...options,
  })
  const call = (name: string): ReturnType<Harness['post']> =>
    harness.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name } })
  return { ...harness, clock, call }
}

describe('a mount on a platform that isolates requests (such as Workers)', () => {
  beforeEach(() => vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' }))
  afterEach(() => vi.unstubAllGlobals())

  it('has no sessions by default, and explains why it rejects `legacySse`', async () => {
    const { post, send } = createApart()
    expect((await post(initializeMessage())).headers).not.toHaveProperty('mcp-session-id')
    expect(await send({ method: 'GET' })).toMatchObject({ status: 405 })
    const told = createApart({ endpoint: { stateless: false } })
    expect((await told.post(initializeMessage())).headers).toHaveProperty('mcp-session-id')
    expect(() => createApart({ endpoint: { legacySse: true } })).toThrow('Durable Objects')
    expect(() => createApart({ endpoint: { stateless: false, legacySse: true } })).not.toThrow()
  })

  it('gives each call separate timers, and clears them afterwards', async () => {
    const { clock, call } = createApart()
    await Promise.all([call('soon'), call('soon')])
    expect(clock.pending).toBe(0)
  })

  it('streams a call and enforces its timeout even if an earlier request was dropped silently', async () => {
    const { clock, call } = createApart()
    void call('never')
    await settled()
    clock.next()
    const reply = call('never')
    await settled()
    await clock.advance(2_000)
    const { sink } = await reply
    await clock.advance(30_000)
    expect(sink.text.match(/: keep-alive/g)).toHaveLength(2)
    await clock.advance(30_000)
    expect(sink.messages).toMatchObject([{ id: 2, result: { isError: true } }])
    expect(clock.pending).toBe(0)
  })

  it('frees the slots of calls that the platform drops silently', async () => {
    const one = { running: 1, inFlight: 1 }
    const { clock, call, endpoint } = createApart({ server: { limits: { ...one, anonymous: one } } })
    for (let count = 0; count < 3; count++) {
      void call('never')
      await settled()
      clock.next()
    }
    expect((await call('soon')).json.result).toMatchObject({ content: [{ text: 'done' }] })
    expect(endpoint.stats()).toMatchObject({ callsInFlight: 0, openStreams: 0 })
  })

  it('makes the platform wait until the work of each request is done', async () => {
    const { endpoint, clock } = createApart({ endpoint: { response: 'json' } })
    const waited: Promise<unknown>[] = []
    const request = Object.assign(
      new FakeRequest({ body: { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'never' } } }),
      { waitUntil: (work: Promise<unknown>) => void waited.push(work) },
    )
    const reply = Promise.resolve(endpoint.handle(request, request.body))
    let ended = 0
    await settled()
    for (const work of waited) void work.then(() => ended++)
    request.leave()
    await clock.advance(59_999)
    expect(ended).toBe(0)
    await clock.advance(1)
    await reply
    expect([waited.length, ended]).toEqual([2, 2])
  })

  it('refuses subscriptions if the bus is only in memory', async () => {
    const { post } = createApart()
    const params = {
      notifications: { toolsListChanged: true },
      _meta: requestMeta(),
    }
    const asked = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
    const { status, json } = await post(asked, headers)
    expect([status, json.error?.code, json.error?.message]).toEqual([
      404,
      -32601,
      expect.stringContaining('Give the server a bus'),
    ])
  })
})
