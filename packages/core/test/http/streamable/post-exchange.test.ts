import { callTool, initialize, notification, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { HttpReply } from '../../../src/http/types.ts'
import type { McpServer } from '../../../src/index.ts'
import { createHarness, FakeRequest, type HarnessOptions } from '../support/harness.ts'

/** Calls that end when the test says so, numbered in the order in which they started. */
class Gates {
  readonly #open: ((text: string) => void)[] = []
  readonly #began: (() => void)[] = []

  wait(): Promise<string> {
    return new Promise((resolve) => {
      this.#open.push(resolve)
      for (const began of this.#began.splice(0)) began()
    })
  }
  async begun(count: number): Promise<void> {
    while (this.#open.length < count) await new Promise<void>((resolve) => this.#began.push(resolve))
  }
  finish(index: number, text = `call ${index}`): void {
    this.#open[index]?.(text)
  }
}

async function bench(options: HarnessOptions = {}, version = '2025-06-18') {
  const gates = new Gates()
  const signals: AbortSignal[] = []
  const setUp = (server: McpServer): void => {
    server.addTool({ name: 'now', handler: () => 'at once' })
    server.addTool({
      name: 'wait',
      handler: (_args, ctx) => {
        signals.push(ctx.signal)
        return gates.wait()
      },
    })
    server.addTool({
      name: 'report',
      inputSchema: z.object({ steps: z.number() }),
      handler: async ({ steps }, ctx) => {
        for (let i = 1; i <= steps; i++) await ctx.progress(i, steps)
        return 'reported'
      },
    })
    server.addTool({
      name: 'report-then-wait',
      handler: async (_args, ctx) => {
        await ctx.progress(1)
        return gates.wait()
      },
    })
    options.setUp?.(server)
  }
  const harness = createHarness({ ...options, setUp })
  return { ...harness, session: await harness.open({ version }), gates, signals }
}

const call = (id: string | number, name: string, args: object = {}): object => callTool(name, args, { id })

describe('the reply to a call', () => {
  it('is JSON, and needs no timer or promise, if the handler returns synchronously', async () => {
    const { session, endpoint, clock } = await bench()
    const timers = clock.pending
    const request = new FakeRequest({ body: call(2, 'now'), headers: session.headers, atOnce: true })
    const reply = endpoint.handle(request, request.body)
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(String((reply as HttpReply).body))).toMatchObject({
      id: 2,
      result: { content: [{ text: 'at once' }] },
    })
    expect(clock.pending).toBe(timers)
  })

  it('is the same if the host framework has already parsed the body', async () => {
    const { send, session } = await bench()
    const answer = await send({ parsed: call(2, 'now'), headers: session.headers })
    expect(answer.json).toMatchObject({ id: 2, result: { content: [{ text: 'at once' }] } })
    const polluting = JSON.parse(
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}',
    ) as unknown
    expect((await send({ parsed: polluting, headers: session.headers })).status).toBe(400)
  })

  it('becomes a stream at the first notification, and ends with the response', async () => {
    const { session } = await bench()
    const { status, headers, sink } = await session.call('report', { steps: 3 }, { progressToken: 't' })
    await sink.ended()
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream'])
    expect(sink.messages.map(({ method, params }) => [method, params?.['progress']])).toEqual([
      ['notifications/progress', 1],
      ['notifications/progress', 2],
      ['notifications/progress', 3],
      [undefined, undefined],
    ])
    expect(sink.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'reported' }] } })
  })

  it('becomes a stream if the call takes longer than 2 s', async () => {
    const { session, gates, clock } = await bench()
    let replied = false
    const pending = session.call('wait').then((answer) => {
      replied = true
      return answer
    })
    await gates.begun(1)
    await clock.advance(1_999)
    expect(replied).toBe(false)
    await clock.advance(1)
    const { sink, headers } = await pending
    expect(headers['content-type']).toBe('text/event-stream')
    expect(sink.closed).toBe(false)
    gates.finish(0)
    await sink.ended()
    expect(sink.messages).toMatchObject([{ id: 2, result: { content: [{ text: 'call 0' }] } }])
  })

  it('is JSON for a call that ends within 2 s', async () => {
    const { session, gates, clock } = await bench()
    const pending = session.call('wait')
    await gates.begun(1)
    await clock.advance(1_999)
    gates.finish(0)
    expect((await pending).headers['content-type']).toBe('application/json')
  })

  it("is always JSON, and omits notifications, if `response` is 'json'", async () => {
    const { session, gates, clock } = await bench({ endpoint: { response: 'json' } })
    expect((await session.call('report', { steps: 3 }, { progressToken: 1 })).json).toMatchObject({ id: 2 })
    const pending = session.call('wait')
    await gates.begun(1)
    await clock.advance(10_000)
    gates.finish(0)
    expect((await pending).json).toMatchObject({ result: { content: [{ text: 'call 0' }] } })
  })

  it("is always a stream, even for initialize, if `response` is 'sse'", async () => {
    const { post } = await bench({ endpoint: { response: 'sse' } })
    const answer = await post(initialize('2025-06-18'))
    expect(answer.headers['content-type']).toBe('text/event-stream')
    expect(answer.headers['mcp-session-id']).toMatch(/^[\w-]{45}$/)
    expect(answer.sink.closed).toBe(true)
    expect(answer.sink.messages).toMatchObject([{ id: 1, result: { protocolVersion: '2025-06-18' } }])
  })

  it.each([
    ['now', {}],
    ['report', { steps: 1 }],
    ['nothing by this name', {}],
  ])('contains exactly one response as a stream, however the call ends: %s', async (name, args) => {
    const { session } = await bench({ endpoint: { response: 'sse' } })
    const { sink } = await session.call(name, args)
    await sink.ended()
    expect(sink.messages.filter(({ id }) => id === 2)).toHaveLength(1)
  })

  it.each(['BigInt', 'cycle', 'toJSON'])(
    'is a tool error if the result cannot be serialised: %s',
    async (kind) => {
      const values: Record<string, () => unknown> = {
        BigInt: () => ({ n: 1n }),
        cycle: () => {
          const loop: { self?: unknown } = {}
          loop.self = loop
          return loop
        },
        toJSON: () => ({
          toJSON() {
            throw new Error('canary')
          },
        }),
      }
      const setUp = (server: McpServer): void => {
        server.addTool({ name: 'bad', handler: () => values[kind]?.() as object })
      }
      for (const response of ['auto', 'sse'] as const) {
        const { session } = await bench({ endpoint: { response }, setUp })
        const { sink, text } = await session.call('bad')
        const all = text + sink.text
        expect(all).toContain('"isError":true')
        expect(all).not.toContain('canary')
      }
    },
  )
})

describe('calls with the same id', () => {
  it('receive separate replies', async () => {
    const { session, gates } = await bench()
    const answers = Array.from({ length: 12 }, () => session.call('wait', {}, { id: 1 }))
    await gates.begun(12)
    for (const index of [11, 3, 7, 0, 1, 2, 4, 5, 6, 8, 9, 10]) gates.finish(index)
    const texts = (await Promise.all(answers)).map(({ json }) => json.result?.['content'])
    expect(texts).toEqual(Array.from({ length: 12 }, (_, i) => [{ type: 'text', text: `call ${i}` }]))
  })
})

describe('a client that disconnects', () => {
  it('does not cancel the call', async () => {
    const { session, gates, signals, clock } = await bench()
    const pending = session.call('wait')
    await gates.begun(1)
    await clock.advance(2_000)
    const answer = await pending
    answer.request.leave()
    await settled()
    expect(signals[0]?.aborted).toBe(false)
    gates.finish(0)
    await settled()
    expect(answer.sink.text).toBe('')
  })

  it('does not cause errors in a handler that continues to send messages', async () => {
    const { session, gates, log, clock } = await bench({
      setUp: (server) => {
        server.addTool({
          name: 'talk',
          handler: async (_args, ctx) => {
            await ctx.progress(1)
            await gates.wait()
            await ctx.progress(2)
            ctx.log.info('still here')
            return 'done'
          },
        })
      },
    })
    const answer = await session.call('talk', {}, { progressToken: 1 })
    answer.request.leave()
    gates.finish(0)
    await settled()
    expect(log.filter(({ level }) => level === 'error')).toEqual([])
    await clock.advance(2_000)
    // The remaining timers are for idle sessions, long calls and silent calls.
    expect(clock.pending).toBe(3)
  })
})

describe('a cancelled call', () => {
  const cancel = (requestId: string | number): object =>
    notification('notifications/cancelled', { requestId })

  it('aborts its handler, and receives an empty stream that cannot be resumed', async () => {
    const { session, gates, signals } = await bench({}, '2025-11-25')
    const pending = session.call('wait', {}, { id: 'x' })
    await gates.begun(1)
    expect((await session.post(cancel('x'))).status).toBe(202)
    const { status, headers, sink } = await pending
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream'])
    expect([sink.text, sink.closed]).toEqual(['', true])
    expect(signals[0]?.aborted).toBe(true)
  })

  it('closes its stream, and its earlier events cannot be replayed', async () => {
    const { session } = await bench({}, '2025-11-25')
    const { sink } = await session.call('report-then-wait', {}, { id: 'x', progressToken: 1 })
    await sink.until(() => sink.messages.length === 1)
    await session.post(cancel('x'))
    await sink.ended()
    const last = sink.events.at(-1)?.id ?? ''
    expect((await session.get({ 'last-event-id': last })).status).toBe(400)
  })

  it('is not affected by a cancellation with an unknown id or from another session', async () => {
    const { session, open, gates, signals } = await bench()
    const pending = session.call('wait', {}, { id: 5 })
    await gates.begun(1)
    const other = await open()
    await other.post(cancel(5))
    await session.post(cancel(6))
    await session.post(cancel('5'))
    expect(signals[0]?.aborted).toBe(false)
    gates.finish(0)
    expect((await pending).json).toMatchObject({ id: 5 })
  })
})

describe('a batch', () => {
  it('receives an array with one response for each request', async () => {
    const { session } = await bench({}, '2025-03-26')
    const answer = await session.post([
      call('a', 'now'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call('b', 'nothing'),
      { jsonrpc: '2.0', id: 'c', method: 'ping' },
    ])
    expect(answer.status).toBe(200)
    expect(answer.list.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  it('receives 202 if it contains no requests', async () => {
    const { session } = await bench({}, '2025-03-26')
    const answer = await session.post([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
    expect([answer.status, answer.text]).toEqual([202, ''])
    const responses = await session.post([{ jsonrpc: '2.0', id: 1, result: {} }])
    expect(responses.status).toBe(202)
  })

  it('becomes a stream when one of its calls sends a notification', async () => {
    const { session, gates } = await bench({}, '2025-03-26')
    const withProgress = callTool('report', { steps: 1 }, { id: 'b', meta: { progressToken: 1 } })
    const { sink } = await session.post([call('a', 'now'), withProgress, call('c', 'wait')])
    await gates.begun(1)
    gates.finish(0)
    await sink.ended()
    const ids = sink.messages.flatMap(({ id }) => (id === undefined ? [] : [id]))
    expect(ids).toHaveLength(3)
    expect(new Set(ids)).toEqual(new Set(['a', 'b', 'c']))
  })

  it('runs as many calls as a session may have in flight, and refuses the others', async () => {
    const { session, gates } = await bench({ server: { limits: { running: 1, inFlight: 2 } } }, '2025-03-26')
    const pending = session.post([call(1, 'wait'), call(2, 'wait'), call(3, 'wait')])
    await gates.begun(1)
    gates.finish(0)
    await gates.begun(2)
    gates.finish(1)
    const { status, list } = await pending
    expect(status).toBe(200)
    expect(list.filter(({ error }) => error?.code === -32603).map(({ id }) => id)).toEqual([3])
  })

  it('receives an empty stream if every call is cancelled', async () => {
    const { session, gates } = await bench({}, '2025-03-26')
    const pending = session.post([call(1, 'wait'), call(2, 'wait')])
    await gates.begun(2)
    for (const requestId of [1, 2]) {
      await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    }
    const { sink } = await pending
    expect([sink.text, sink.closed]).toEqual(['', true])
  })
})
