import { AsyncLocalStorage } from 'node:async_hooks'
import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { McpServer, ToolError } from '../src/index.ts'
import { toFetch } from '../src/http/index.ts'
import type { ServerOptions } from '../src/server/options.ts'
import type { ReceivedCall, SentRequest, SentResponse, ServedCall, Telemetry } from '../src/telemetry.ts'
import { openAnsweringClient } from './support/answering-client.ts'
import { openPeer } from './support/peer.ts'

/** The call to which the current step belongs. */
const current = new AsyncLocalStorage<string>()

class Recorder implements Telemetry {
  active = true
  wantsResult = false
  meta: Record<string, unknown> | undefined
  attached = 0
  detached = 0
  readonly calls: ReceivedCall[] = []
  readonly served: ServedCall[] = []
  readonly questions: SentRequest[] = []
  readonly answers: SentResponse[] = []

  attach(): () => void {
    this.attached++
    return () => void this.detached++
  }
  received(call: ReceivedCall): ReturnType<Telemetry['received']> {
    this.calls.push(call)
    return {
      wantsResult: this.wantsResult,
      run: (step) => current.run(`${call.message.method} ${call.message.id}`, step),
      end: (served) => void this.served.push(served),
    }
  }
  sent(question: SentRequest): ReturnType<Telemetry['sent']> {
    this.questions.push(question)
    return {
      meta: this.meta,
      run: (step) => step(),
      end: (response) => void this.answers.push(response),
    }
  }
}

function createServer(telemetry: Telemetry, options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'observed', version: '1' }, { ...options, telemetry })
  onTestFinished(() => server.close())
  return server
}

async function observedPeer(options: ServerOptions = {}) {
  const telemetry = new Recorder()
  const server = createServer(telemetry, options)
  return { telemetry, server, connect: () => openPeer(server, {}) }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

describe('the `telemetry` option', () => {
  it.each([
    ['a result', () => 'fine', { outcome: 'ok' }],
    [
      'a ToolError',
      () => {
        throw new ToolError('no')
      },
      { outcome: 'failed' },
    ],
    [
      'an unknown error, which the client does not see',
      () => {
        throw new Error('secret')
      },
      {
        outcome: 'failed',
        hidden: { error: new Error('secret'), reference: expect.stringMatching(/^[\w-]{12}$/) },
      },
    ],
  ])('reports the end of a call with %s', async (_, handler: () => string, served) => {
    const { telemetry, server, connect } = await observedPeer({ logger: silent })
    server.addTool({ name: 'tool', handler })
    const peer = await connect()
    await peer.request('tools/call', { name: 'tool' })
    expect(telemetry.served.at(-1)).toMatchObject(served)
  })

  it.each([
    ['tools/call', { name: 'add' }, { target: 'add', known: true }],
    ['tools/call', { name: 'invented' }, { target: undefined, known: true }],
    ['prompts/get', { name: 'greet' }, { target: 'greet', known: true }],
    ['resources/read', { uri: 'note:///1' }, { target: 'notes', known: true }],
    ['resources/read', { uri: 'no:///1' }, { target: undefined, known: true }],
    ['tools/list', {}, { target: undefined, known: true }],
    ['invented/method', {}, { target: undefined, known: false }],
  ])(
    'reports the registered name for %s %o, but never an unknown name sent by the client',
    async (method, params, expected) => {
      const { telemetry, server, connect } = await observedPeer()
      server.addTool({ name: 'add', handler: () => '3' })
      server.addPrompt({ name: 'greet', handler: () => 'Hello' })
      server.addResourceTemplate({ uriTemplate: 'note:///{id}', name: 'notes', handler: () => 'text' })
      const peer = await connect()
      await peer.request(method, params)
      expect(telemetry.calls.at(-1)).toMatchObject(expected)
    },
  )

  it('reports initialize and the session that it opens', async () => {
    const { telemetry, connect } = await observedPeer()
    await connect()
    expect(telemetry.calls[0]).toMatchObject({
      message: { method: 'initialize' },
      ctx: undefined,
      known: true,
    })
    expect(telemetry.served[0]).toMatchObject({
      outcome: 'ok',
      opened: { revision: '2025-11-25', sessionId: expect.stringMatching(/./) },
    })
  })

  it('receives the result as it is before adaptation to the revision, if the observation requests it', async () => {
    const { telemetry, server, connect } = await observedPeer()
    server.addTool({ name: 'tool', outputSchema: z.object({ n: z.number() }), handler: () => ({ n: 3 }) })
    const peer = await connect()
    await peer.request('tools/call', { name: 'tool' })
    telemetry.wantsResult = true
    await peer.request('tools/call', { name: 'tool' })
    expect(telemetry.served.slice(-2).map(({ result }) => result?.['structuredContent'])).toEqual([
      undefined,
      { n: 3 },
    ])
  })

  it("runs a handler and its abort listeners inside the call's observation", async () => {
    const { telemetry, server, connect } = await observedPeer()
    const seen: (string | undefined)[] = []
    server.addTool({
      name: 'wait',
      handler: (_args, ctx) => {
        seen.push(current.getStore())
        ctx.signal.addEventListener('abort', () => seen.push(current.getStore()))
        return new Promise<never>(() => {})
      },
    })
    const peer = await connect()
    void peer.request('tools/call', { name: 'wait' })
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    const { id } = telemetry.calls.at(-1)?.message ?? {}
    peer.notify('notifications/cancelled', { requestId: id })
    await vi.waitFor(() => expect(telemetry.served.at(-1)).toMatchObject({ outcome: 'cancelled' }))
    expect(seen).toEqual([`tools/call ${id}`, `tools/call ${id}`])
  })

  it("runs a call's timeout handling inside the call's observation", async () => {
    const { telemetry, server, connect } = await observedPeer({ logger: silent })
    const seen: (string | undefined)[] = []
    server.addTool({
      name: 'slow',
      timeoutMs: 5,
      handler: (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => seen.push(current.getStore()))
        return new Promise<never>(() => {})
      },
    })
    const peer = await connect()
    await peer.request('tools/call', { name: 'slow' })
    expect(telemetry.served.at(-1)).toMatchObject({ outcome: 'timeout' })
    expect(seen).toEqual([`tools/call ${telemetry.calls.at(-1)?.message.id}`])
  })

  it('reports how long a call was queued', async () => {
    const clock = new FakeClock()
    const { telemetry, server, connect } = await observedPeer({ limits: { running: 1 }, clock })
    const gates: (() => void)[] = []
    server.addTool({
      name: 'gated',
      handler: () => new Promise<string>((resolve) => gates.push(() => resolve('done'))),
    })
    const peer = await connect()
    const first = peer.request('tools/call', { name: 'gated' })
    await vi.waitFor(() => expect(gates).toHaveLength(1))
    const second = peer.request('tools/call', { name: 'gated' })
    await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(2))
    await clock.advance(7)
    gates[0]?.()
    await first
    await vi.waitFor(() => expect(gates).toHaveLength(2))
    gates[1]?.()
    await second
    expect(telemetry.calls.slice(-2).map(({ queuedMs }) => queuedMs)).toEqual([0, 7])
  })

  it("adds fields to a question's `_meta`, and reports why the question was not answered", async () => {
    const { telemetry, server } = await observedPeer()
    telemetry.meta = { traceparent: '00-1', progressToken: 'kept' }
    server.addTool({
      name: 'ask',
      handler: async (_args, ctx) => {
        await ctx.request('roots/list', { _meta: { progressToken: 'own' } })
        return 'asked'
      },
    })
    const client = await openAnsweringClient(server)
    const answer = client.call('ask')
    await client.hasAsked(1)
    expect(client.asked[0]?.params).toEqual({ _meta: { traceparent: '00-1', progressToken: 'own' } })
    expect(telemetry.questions[0]).toMatchObject({ method: 'roots/list' })
    await server.close({ deadline: 0 })
    await vi.waitFor(() => expect(telemetry.answers).toEqual([{ failure: { type: 'cancelled' } }]))
    await answer
  })

  it('reports network details over HTTP, and the values of headers that occur once', async () => {
    const telemetry = new Recorder()
    const handler = toFetch(createServer(telemetry))
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    await handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          traceparent: 'one',
        },
        body: JSON.stringify({
          ...body,
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'c', version: '1' },
          },
        }),
      }),
    )
    const [call] = telemetry.calls
    expect(call?.network).toEqual({ transport: 'tcp', protocol: 'http' })
    expect([call?.header('traceparent'), call?.header('tracestate')]).toEqual(['one', undefined])
  })

  it('receives no calls while it is inactive', async () => {
    const { telemetry, server, connect } = await observedPeer()
    telemetry.active = false
    server.addTool({ name: 'tool', handler: () => 'fine' })
    const peer = await connect()
    await peer.request('tools/call', { name: 'tool' })
    expect(telemetry.calls).toEqual([])
  })

  it('is attached once, and detached once after the server has closed', async () => {
    const telemetry = new Recorder()
    const server = createServer(telemetry)
    expect([telemetry.attached, telemetry.detached]).toEqual([1, 0])
    await server.close()
    await server.close()
    expect([telemetry.attached, telemetry.detached]).toEqual([1, 1])
  })

  it('must be a telemetry object', () => {
    expect(() => createServer({ active: true } as unknown as Telemetry)).toThrow(/telemetry/)
  })
})
