import { Client, duplex, McpError } from '@jetway/client'
import { http } from '@jetway/client/http'
import { ClientManager } from '@jetway/client/manager'
import { McpServer, ToolError } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { toFetch } from '@jetway/core/http'
import { createMemoryTransportPair, type Transport } from '@jetway/core/transport'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { telemetry, type TelemetryOptions } from '../src/index.ts'
import { connectOver } from './support/mounts.ts'
import { registerSdk } from './support/sdk.ts'

const OWN = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}
const CALL = 'tools/call tool'

/** Creates a server without telemetry, and records what its tool receives. */
function plainServer(handler: (ctx: never) => unknown = () => 'fine') {
  const server = new McpServer({ name: 'plain', version: '1' })
  onTestFinished(() => server.close({ deadline: 0 }))
  const metas: unknown[] = []
  server.addTool({
    name: 'tool',
    handler: (_args, ctx) => {
      metas.push(ctx.trace?.traceparent)
      return handler(ctx as never) as string
    },
  })
  return { server, metas }
}

const sessions = (options: TelemetryOptions = {}) =>
  ({ telemetry: telemetry(options), revisions: ['2025-11-25'] }) as const

/** Connects a client in memory, and records the messages that it sends. */
async function watchedClient(server: McpServer, both: ReturnType<typeof telemetry>) {
  const [near, far] = createMemoryTransportPair()
  server.connect(far, { endGraceMs: 50 })
  const sent: JsonObject[] = []
  const watched: Transport = {
    start: (handlers) => near.start(handlers),
    close: () => near.close(),
    queued: 0,
    send: (text) => {
      sent.push(JSON.parse(text) as JsonObject)
      return near.send(text)
    },
  }
  const client = new Client({ name: 'c', version: '1' }, { ...sessions(), telemetry: both })
  onTestFinished(async () => {
    await client.close()
    await server.close({ deadline: 0 })
  })
  return { client: await client.connect(duplex(watched)), sent }
}

const withinHost = <T>(step: () => Promise<T>): Promise<T> =>
  trace.getTracer('host').startActiveSpan('host', async (host) => {
    try {
      return await step()
    } finally {
      host.end()
    }
  })

describe('client telemetry', () => {
  it('creates one span per request: the handshake, lists, pings and calls', async () => {
    const { spans } = registerSdk()
    const { server } = plainServer()
    const client = await connectOver('memory', server, sessions())
    await client.listTools()
    await client.ping()
    await client.callTool('tool')
    expect(spans().map(({ kind, name }) => [SpanKind[kind], name])).toEqual([
      ['CLIENT', 'initialize'],
      ['CLIENT', 'tools/list'],
      ['CLIENT', 'ping'],
      ['CLIENT', CALL],
    ])
  })

  it("sends the span's context in the _meta of every request", async () => {
    const { spans } = registerSdk()
    const { client, sent } = await watchedClient(plainServer().server, telemetry())
    await client.listTools()
    await client.callTool('tool')
    const carried = sent
      .filter(({ id }) => id !== undefined)
      .map(({ params }) => (params as { _meta?: JsonObject })._meta?.['traceparent'])
    expect(carried).toEqual(
      spans().map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`),
    )
  })

  it("sends the caller's traceparent unchanged, and adds no tracestate", async () => {
    registerSdk()
    const { server, metas } = plainServer(
      (ctx: { trace?: { tracestate?: string } }) => ctx.trace?.tracestate ?? 'none',
    )
    const client = await connectOver('memory', server, sessions())
    const { content } = await client.callTool('tool', {}, { _meta: OWN })
    expect(metas).toEqual([OWN.traceparent])
    expect(content).toEqual([{ type: 'text', text: 'none' }])
  })

  it.each([
    ['a result', () => 'fine', { code: SpanStatusCode.UNSET }, {}],
    [
      'isError',
      () => {
        throw new ToolError('no')
      },
      { code: SpanStatusCode.ERROR },
      { 'error.type': 'tool_error' },
    ],
    [
      'any JSON-RPC error',
      () => {
        throw new McpError(-32602, 'wrong')
      },
      { code: SpanStatusCode.ERROR, message: 'wrong' },
      { 'error.type': '-32602', 'rpc.response.status_code': '-32602' },
    ],
  ])('records the outcome of a call that ends with %s', async (_, handler, status, attributes) => {
    const { span } = registerSdk()
    const { server } = plainServer(handler)
    const client = await connectOver('memory', server, sessions())
    await client.callTool('tool').catch(() => {})
    expect(span(CALL).status).toEqual(status)
    expect(span(CALL).attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'tool',
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
      ...attributes,
    })
  })

  it("sends the call's trace context with a cancellation, and ends the span as cancelled", async () => {
    const { spans, span } = registerSdk()
    const both = telemetry()
    const server = new McpServer({ name: 'traced', version: '1' }, { telemetry: both })
    const aborted: (string | undefined)[] = []
    server.addTool({
      name: 'tool',
      handler: (_args, ctx) =>
        new Promise<never>(() => {
          ctx.signal.addEventListener('abort', () =>
            aborted.push(trace.getActiveSpan()?.spanContext().traceId),
          )
        }),
    })
    const { client, sent } = await watchedClient(server, both)
    const leave = new AbortController()
    const call = client.callTool('tool', {}, { signal: leave.signal })
    await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(1))
    leave.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await vi.waitFor(() => expect(aborted).toHaveLength(1))
    const asked = spans().find(({ name, kind }) => name === CALL && kind === SpanKind.CLIENT)
    expect(asked?.attributes['error.type']).toBe('cancelled')
    const { traceId, spanId } = asked?.spanContext() ?? {}
    const cancelled = sent.find(({ method }) => method === 'notifications/cancelled')
    expect(cancelled?.['params']).toMatchObject({ _meta: { traceparent: `00-${traceId}-${spanId}-01` } })
    expect(aborted).toEqual([traceId])
    expect(span('initialize').spanContext().traceId).not.toBe(traceId)
  })

  it('records timeouts and closed connections', async () => {
    const { spans } = registerSdk()
    const { server } = plainServer(() => new Promise(() => {}))
    const client = await connectOver('memory', server, sessions())
    await client.callTool('tool', {}, { timeoutMs: 1 }).catch(() => {})
    const last = client.callTool('tool').catch(() => {})
    await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(1))
    await client.close()
    await last
    expect(spans().flatMap(({ attributes }) => attributes['error.type'] ?? [])).toEqual(['timeout', 'closed'])
  })

  it.each([
    [false, null],
    [true, expect.stringMatching(/^00-/)],
  ])('sends the trace context in HTTP headers only if `headers` is true: %s', async (headers, expected) => {
    registerSdk()
    const { server, metas } = plainServer()
    const handler = toFetch(server)
    onTestFinished(() => handler.close({ deadline: 0 }))
    const seen: (string | null)[] = []
    const client = new Client({ name: 'c', version: '1' }, { eras: false, telemetry: telemetry({ headers }) })
    onTestFinished(() => client.close())
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const request = new Request(url, init)
      seen.push(request.headers.get('traceparent'))
      return handler(request)
    }
    await client.connect(http('http://127.0.0.1:8000/mcp', { fetch }))
    await client.callTool('tool')
    expect(seen).toEqual([expected, expected])
    // The server receives the context in `_meta` and in the headers.
    expect(metas).toEqual([headers ? seen[1] : expect.stringMatching(/^00-/)])
  })

  it.each([
    [
      'toFetch',
      {
        'server.address': '127.0.0.1',
        'server.port': 8_000,
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
      },
    ],
    ['stdio', { 'network.transport': 'pipe' }],
    ['memory', {}],
  ] as const)('records the server address and the network protocol over %s', async (mount, expected) => {
    const { span } = registerSdk()
    await connectOver(mount, plainServer().server, { telemetry: telemetry() })
    const { attributes } = span('server/discover')
    const found = Object.entries(attributes).filter(([name]) => /^(server|network)\./.test(name))
    expect(Object.fromEntries(found)).toEqual(expected)
  })

  it('does not record method names that a server invents', async () => {
    const { spans } = registerSdk()
    const { server } = plainServer(
      async (ctx: { request(method: string, params: object): Promise<unknown> }) => {
        await ctx.request('invented/1', {}).catch(() => {})
        await ctx.request('host/known', {})
        return 'asked'
      },
    )
    const client = await connectOver('memory', server, {
      ...sessions(),
      handlers: { requests: { 'host/known': () => ({}) } },
    })
    await client.callTool('tool')
    const received = spans().filter(({ kind }) => kind === SpanKind.SERVER)
    expect(received.map(({ name }) => name)).toEqual(['_OTHER', 'host/known'])
    expect(received[0]?.attributes['rpc.response.status_code']).toBe('-32601')
  })

  it('records at most 500 tool names', async () => {
    const { spans, points } = registerSdk()
    const client = await connectOver('memory', plainServer().server, {
      ...sessions(),
      validateOutput: false,
    })
    for (let i = 0; i < 600; i++) await client.request('tools/call', { name: `tool ${i}` }).catch(() => {})
    const series = (await points())['mcp.client.operation.duration'] ?? []
    // There is one series for each of the 500 names, one for calls without a name, and one for `initialize`.
    expect(series).toHaveLength(502)
    expect(new Set(spans().map(({ name }) => name)).size).toBe(502)
  })

  it('records the durations of requests and sessions', async () => {
    const { points } = registerSdk()
    const client = await connectOver('toFetch', plainServer().server, sessions())
    await client.callTool('tool')
    await client.close()
    const found = await points()
    const common = {
      'mcp.protocol.version': '2025-11-25',
      'server.address': '127.0.0.1',
      'server.port': 8_000,
    }
    expect(found['mcp.client.operation.duration']).toMatchObject([
      { attributes: { 'mcp.method.name': 'initialize', ...common } },
      { attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'tool', ...common } },
    ])
    expect(found['mcp.client.session.duration']).toMatchObject([{ attributes: common, value: { count: 1 } }])
  })

  it("keeps a session's stream outside the trace of the request that connected", async () => {
    registerSdk()
    const { server } = plainServer()
    const handler = toFetch(server)
    onTestFinished(() => handler.close({ deadline: 0 }))
    const streams: (string | undefined)[] = []
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      if (init.method === 'GET') streams.push(trace.getSpanContext(context.active())?.traceId)
      return handler(new Request(url, init))
    }
    const client = new Client({ name: 'c', version: '1' }, { eras: false, ...sessions() })
    onTestFinished(() => client.close())
    await withinHost(() => client.connect(http('http://127.0.0.1:8000/mcp', { fetch })))
    await vi.waitFor(() => expect(streams).toEqual([undefined]))
  })

  it('keeps a reconnect outside the trace of the call that detected the disconnect', async () => {
    const { spans } = registerSdk()
    const manager = new ClientManager(
      { name: 'c', version: '1' },
      { client: { eras: false, ...sessions() }, reconnect: { initialDelayMs: 1 } },
    )
    onTestFinished(() => manager.closeAll())
    const open: (() => Promise<void>)[] = []
    const dial = () => {
      const [near, far] = createMemoryTransportPair()
      plainServer().server.connect(far, { endGraceMs: 1 })
      open.push(() => far.close())
      return duplex(near)
    }
    const traceIds = (name: string) =>
      spans().flatMap((span) => (span.name === name ? [span.spanContext().traceId] : []))
    await withinHost(() => manager.connect('one', dial))
    await withinHost(async () => {
      await open[0]?.()
      await manager.callTool({ server: 'one', tool: 'tool' })
    })
    const hosts = traceIds('host')
    const [first, second] = traceIds('initialize')
    expect(first).toBe(hosts[0])
    expect(hosts).not.toContain(second)
    expect(traceIds(CALL)).toEqual([hosts[1]])
  })

  it("ends a subscription's span when the server acknowledges the subscription", async () => {
    const { span } = registerSdk()
    const { server } = plainServer()
    server.addResource({ uri: 'note:///1', name: 'note', handler: () => 'text' })
    const client = await connectOver('memory', server, { telemetry: telemetry() })
    await withinHost(() => client.subscribe('note:///1'))
    expect(span('subscriptions/listen').status.code).toBe(SpanStatusCode.UNSET)
    expect(span('subscriptions/listen').parentSpanContext).toBeUndefined()
  })

  it("runs progress listeners within the call's span", async () => {
    const { span } = registerSdk()
    const { server } = plainServer(async (ctx: { progress(done: number): Promise<void> }) => {
      await ctx.progress(1)
      return 'done'
    })
    const client = await connectOver('memory', server, sessions())
    const seen: unknown[] = []
    await client.callTool(
      'tool',
      {},
      {
        onProgress: () => void seen.push(trace.getActiveSpan()?.spanContext().spanId),
      },
    )
    expect(seen).toEqual([span(CALL).spanContext().spanId])
  })
})

it.each(['sent', 'run', 'run twice', 'end', 'apart', 'received', 'sessionClosed'])(
  'a client completes a call exactly once even if `%s` in its telemetry throws',
  async (fault) => {
    const fail = (): never => {
      throw new Error('telemetry')
    }
    const or = (name: string, step: () => void): void => (name === fault ? fail() : step())
    const run = (step: () => void): void => {
      if (fault === 'run') fail()
      step()
      if (fault === 'run twice') step()
    }
    const errors: string[] = []
    const { server, metas } = plainServer(
      async (ctx: { request(method: string, params: object): Promise<object> }) =>
        JSON.stringify(await ctx.request('host/ask', {})),
    )
    const handler = vi.fn(() => ({ answered: true }))
    const [near, far] = createMemoryTransportPair()
    server.connect(far, { endGraceMs: 50 })
    const client = new Client(
      { name: 'c', version: '1' },
      {
        revisions: ['2025-11-25'],
        handlers: { requests: { 'host/ask': handler } },
        telemetry: {
          active: true,
          sent: () => (fault === 'sent' ? fail() : { run, end: () => or('end', () => {}) }),
          received: () =>
            fault === 'received' ? fail() : { wantsResult: false, run, end: () => or('end', () => {}) },
          apart: (step) => or('apart', step),
          sessionClosed: () => or('sessionClosed', () => {}),
        },
      },
    )
    client.on('error', ({ message }) => void errors.push(message))
    await client.connect(duplex(near))
    const { content } = await client.callTool('tool')
    await client.close()
    expect(content).toEqual([{ type: 'text', text: '{"answered":true}' }])
    expect([handler.mock.calls.length, metas.length]).toEqual([1, 1])
    if (fault !== 'run twice')
      expect(errors).toEqual(['The telemetry failed. The request continues without it'])
  },
)
