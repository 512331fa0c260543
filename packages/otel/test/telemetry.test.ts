import { McpError, McpServer, ToolError } from '@jetway/core'
import {
  connectPeer,
  describeMatrix,
  fetchTransport,
  memoryTransport,
  type PeerOptions,
  type TestConnection,
} from '@jetway/testing'
import { toFetch } from '@jetway/core/http'
import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { telemetry, type TelemetryOptions, traceFields } from '../src/index.ts'
import { registerSdk } from './support/sdk.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT_ID = 'b7ad6b7169203331'
const META = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, tracestate: 'vendor=1' }
const LONG_BAGGAGE = Array.from({ length: 200 }, (_, i) => `key${i}=value`).join(',')
const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

function createServer(options: TelemetryOptions = {}): McpServer {
  const server = new McpServer(
    { name: 'traced', version: '1' },
    { telemetry: telemetry(options), logger: silent },
  )
  onTestFinished(() => server.close())
  return server
}

async function connect(server: McpServer, options: Partial<PeerOptions> = {}): Promise<TestConnection> {
  const transport = await memoryTransport.open(server)
  return connectPeer(await transport.dial(), { revision: '2025-11-25', ...options })
}

/** Calls a tool with the given handler, and returns its span. */
async function spanOf(handler: (args: never, ctx: never) => unknown, options: TelemetryOptions = {}) {
  const sdk = registerSdk()
  const server = createServer(options)
  server.addTool({ name: 'tool', handler: handler as () => string })
  const client = await connect(server)
  const answer = await client.request('tools/call', { name: 'tool', arguments: { secret: 'canary' } })
  return { ...sdk, answer, tool: sdk.span('tools/call tool') }
}

describeMatrix('a trace', { transports: [memoryTransport, fetchTransport] }, (cell) => {
  it("contains the client’s call, the handler and the handler's question", async () => {
    const { span } = registerSdk()
    const server = createServer()
    const inHandler: (string | undefined)[] = []
    server.addTool({
      name: 'ask',
      handler: async (_args, ctx) => {
        inHandler.push(trace.getActiveSpan()?.spanContext().traceId)
        if (ctx.session !== undefined) await ctx.request('ping/pong', {})
        inHandler.push(trace.getActiveSpan()?.spanContext().traceId)
        return 'asked'
      },
    })
    const asked: unknown[] = []
    const client = await cell.connect(server, {
      onRequest: (_method, params) => {
        asked.push(params?.['_meta'])
        return {}
      },
    })
    await client.request('tools/call', { name: 'ask', _meta: META })
    expect(inHandler).toEqual([TRACE_ID, TRACE_ID])
    const call = span('tools/call ask')
    expect(call.parentSpanContext).toMatchObject({ spanId: PARENT_ID, isRemote: true })
    expect(call.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': cell.revision,
      'gen_ai.tool.name': 'ask',
      'gen_ai.operation.name': 'execute_tool',
    })
    expect('mcp.session.id' in call.attributes).toBe(cell.revision < '2026-07-28')
    if (asked.length === 0) return
    const question = span('ping/pong')
    expect(question.kind).toBe(SpanKind.CLIENT)
    expect(question.parentSpanContext?.spanId).toBe(call.spanContext().spanId)
    expect(asked).toEqual([
      { traceparent: `00-${TRACE_ID}-${question.spanContext().spanId}-01`, tracestate: 'vendor=1' },
    ])
  })
})

it("a task's span has its own trace", async () => {
  const { spans } = registerSdk()
  const server = createServer()
  server.addTool({ name: 'tool', taskSupport: 'required', handler: () => 'fine' })
  const client = await connect(server)
  await client.request('tools/call', { name: 'tool', task: {}, _meta: META })
  const calls = () => spans().filter(({ name }) => name === 'tools/call tool')
  await vi.waitFor(() => expect(calls()).toHaveLength(2))
  const parents = calls().map(({ parentSpanContext }) => parentSpanContext?.spanId)
  expect(new Set(parents)).toEqual(new Set([PARENT_ID, undefined]))
})

it('the span of an unanswered question contains the reason for the failure', async () => {
  const { span, points } = registerSdk()
  const server = createServer()
  server.addTool({ name: 'ask', handler: async (_args, ctx) => `${(await ctx.listRoots()).length}` })
  const client = await connect(server, { capabilities: { roots: {} }, onRequest: () => undefined })
  await client.request('tools/call', { name: 'ask' })
  const { status, attributes } = span('roots/list')
  expect([status, attributes['error.type']]).toEqual([{ code: SpanStatusCode.ERROR }, 'refused'])
  expect((await points())['mcp.client.operation.duration']).toMatchObject([
    { attributes: { 'mcp.method.name': 'roots/list', 'error.type': 'refused' } },
  ])
})

describe("a call's span", () => {
  it.each([
    ['a result', () => 'fine', { code: SpanStatusCode.UNSET }, { 'jetway.outcome': 'ok' }],
    [
      'a ToolError',
      () => {
        throw new ToolError('no')
      },
      { code: SpanStatusCode.ERROR },
      { 'error.type': 'tool_error', 'jetway.outcome': 'failed' },
    ],
    [
      'an error code that blames the client',
      () => {
        throw new McpError(-32602, 'wrong')
      },
      { code: SpanStatusCode.UNSET },
      { 'rpc.response.status_code': '-32602', 'jetway.outcome': 'error' },
    ],
    [
      'another code',
      () => {
        throw new McpError(-32099, 'broken')
      },
      { code: SpanStatusCode.ERROR, message: 'broken' },
      { 'error.type': '-32099', 'rpc.response.status_code': '-32099' },
    ],
  ])('ends with %s', async (_, handler, status, attributes) => {
    const { tool } = await spanOf(handler)
    expect(tool.status).toEqual(status)
    expect(tool.attributes).toMatchObject(attributes)
    if (status.code === SpanStatusCode.UNSET) expect(tool.attributes).not.toHaveProperty('error.type')
  })

  it('contains the correlation id of a hidden error, but not the error itself', async () => {
    const { tool, answer } = await spanOf(() => {
      throw new Error('secret')
    })
    const reference = String(tool.attributes['jetway.error.reference'])
    expect(JSON.stringify(answer)).toContain(reference)
    expect(tool.events).toEqual([])
  })

  it('contains the hidden error if `recordErrors` is true', async () => {
    const { tool } = await spanOf(
      () => {
        throw new Error('secret')
      },
      { recordErrors: true },
    )
    expect(tool.events).toMatchObject([{ name: 'exception', attributes: { 'exception.message': 'secret' } }])
  })

  it.each([
    ['nothing', {}, undefined, undefined],
    [
      'the parts named by capture',
      { capture: { arguments: true, results: true } },
      '{"secret":"canary"}',
      expect.stringContaining('canary result'),
    ],
    [
      'the text returned by redact',
      { capture: { arguments: true, results: true, redact: (kind: string) => `no ${kind}` } },
      'no arguments',
      'no result',
    ],
    [
      'nothing that redact refuses',
      { capture: { arguments: true, redact: () => undefined } },
      undefined,
      undefined,
    ],
    ['no more than maxBytes', { capture: { arguments: true, maxBytes: 8 } }, '{"secret', undefined],
  ])('can be configured to capture %s', async (_, options, args, result) => {
    const { tool } = await spanOf(() => 'canary result', options)
    expect([
      tool.attributes['gen_ai.tool.call.arguments'],
      tool.attributes['gen_ai.tool.call.result'],
    ]).toEqual([args, result])
    if (args === undefined) expect(JSON.stringify(tool.attributes)).not.toContain('canary')
  })

  it.each([
    ['short', /^.{1,10}$/],
    ['full', /^.{20,}$/],
    [false, undefined],
  ] as const)('contains the session id as configured by `sessionId`: %s', async (sessionId, pattern) => {
    const { tool } = await spanOf(() => 'fine', { sessionId })
    const id = tool.attributes['mcp.session.id']
    if (pattern === undefined) expect(id).toBeUndefined()
    else expect(id).toMatch(pattern)
  })

  it('contains the attributes returned by the `attributes` option', async () => {
    const { tool } = await spanOf(() => 'fine', {
      attributes: (ctx) => ({ client: ctx.client.info?.name ?? '' }),
    })
    expect(tool.attributes['client']).toBe('jetway-testing')
  })
})

describe("the client's trace context", () => {
  const cases = [
    ['parent', TRACE_ID, 1],
    ['link', 'ambient', 1],
    ['ignore', 'ambient', 0],
  ] as const
  it.each(cases)(
    'with `remoteParent` %s, leads to a span in trace %s with %i links',
    async (remoteParent, traceOf, links) => {
      const { span } = registerSdk()
      const server = createServer({ remoteParent })
      server.addTool({ name: 'tool', handler: () => 'fine' })
      const ambient = trace.getTracer('test').startSpan('HTTP POST')
      await context.with(trace.setSpan(context.active(), ambient), async () => {
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tool', _meta: META } }
        await server.handleMessage(message)
      })
      ambient.end()
      const call = span('tools/call tool')
      const expected = traceOf === 'ambient' ? ambient.spanContext().traceId : traceOf
      expect(call.spanContext().traceId).toBe(expected)
      expect(call.links).toHaveLength(links)
    },
  )

  it.each([
    ['once', [META.traceparent], TRACE_ID],
    ['twice', [META.traceparent, META.traceparent], undefined],
  ])(
    'is read from a header if _meta contains no context and the header occurs once: %s',
    async (_, values, expected) => {
      const { span } = registerSdk()
      const server = createServer()
      const handler = toFetch(server)
      onTestFinished(() => handler.close({ deadline: 0 }))
      const headers = new Headers(JSON_HEADERS)
      for (const value of values) headers.append('traceparent', value)
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
      await handler(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
      expect(span('initialize').parentSpanContext?.traceId).toBe(expected)
    },
  )

  it.each([
    ['bad hex', { traceparent: `00-${'z'.repeat(32)}-${PARENT_ID}-01` }],
    ['version ff', { traceparent: `ff-${TRACE_ID}-${PARENT_ID}-01` }],
    ['a megabyte', { traceparent: 'x'.repeat(1_000_000) }],
    ['a number', { traceparent: 1 }],
    ['inherited from a prototype', JSON.parse(`{"constructor":{"traceparent":"${META.traceparent}"}}`)],
    ['only baggage with 200 members', { baggage: LONG_BAGGAGE }],
  ])('is ignored if invalid: %s', async (_, meta) => {
    const { span } = registerSdk()
    const server = createServer()
    server.addTool({ name: 'tool', handler: () => 'fine' })
    const client = await connect(server)
    await client.request('tools/call', { name: 'tool', _meta: meta })
    expect(span('tools/call tool').parentSpanContext).toBeUndefined()
  })

  it.each([
    ['a tracestate of a megabyte', { tracestate: `vendor=${'x'.repeat(1_000_000)}` }],
    ['a tracestate with one key twice', { tracestate: 'vendor=1,vendor=2' }],
    ['200 members of baggage', { baggage: LONG_BAGGAGE }],
  ])('is used, except for %s', async (_, meta) => {
    registerSdk()
    const server = createServer()
    const carried: object[] = []
    server.addTool({
      name: 'tool',
      handler: () => {
        const { traceId, traceState } = trace.getActiveSpan()?.spanContext() ?? {}
        carried.push({ traceId, state: traceState?.serialize(), baggage: propagation.getActiveBaggage() })
        return 'fine'
      },
    })
    const client = await connect(server)
    const { traceparent } = META
    await client.request('tools/call', { name: 'tool', _meta: { traceparent, ...meta } })
    expect(carried).toEqual([{ traceId: TRACE_ID, state: undefined, baggage: undefined }])
  })
})

describe('the OpenTelemetry SDK', () => {
  it('can be registered later, and then records new calls', async () => {
    const server = createServer()
    server.addTool({ name: 'tool', handler: () => 'fine' })
    const client = await connect(server)
    await client.request('tools/call', { name: 'tool' })
    const { spans, points } = registerSdk()
    await client.request('tools/call', { name: 'tool' })
    expect(spans().map(({ name }) => name)).toEqual(['tools/call tool'])
    expect((await points())['mcp.server.operation.duration']).toMatchObject([{ value: { count: 1 } }])
  })

  it('can be replaced, after which only the new SDK records calls', async () => {
    const first = registerSdk()
    const server = createServer()
    server.addTool({ name: 'tool', handler: () => 'fine' })
    const client = await connect(server)
    await client.request('tools/call', { name: 'tool' })
    trace.disable()
    metrics.disable()
    context.disable()
    const second = registerSdk()
    await client.request('tools/call', { name: 'tool' })
    expect(first.spans().map(({ name }) => name)).toEqual(['initialize', 'tools/call tool'])
    expect(second.spans().map(({ name }) => name)).toEqual(['tools/call tool'])
    expect((await second.points())['mcp.server.operation.duration']).toMatchObject([{ value: { count: 1 } }])
  })

  it('records nothing in `propagate` mode, but passes on the context', async () => {
    const { spans, points } = registerSdk()
    const server = createServer({ mode: 'propagate' })
    let inHandler: string | undefined
    server.addTool({
      name: 'tool',
      handler: () => {
        inHandler = trace.getSpanContext(context.active())?.traceId
        return 'fine'
      },
    })
    const client = await connect(server)
    await client.request('tools/call', { name: 'tool', _meta: META })
    expect(spans()).toEqual([])
    expect(await points()).toEqual({})
    expect(inHandler).toBe(TRACE_ID)
  })
})

describe('traceFields', () => {
  it('returns the ids of the active span', async () => {
    let fields: unknown
    const { tool } = await spanOf(() => {
      fields = traceFields()
      return 'fine'
    })
    const { traceId, spanId } = tool.spanContext()
    expect(fields).toEqual({ trace_id: traceId, span_id: spanId, trace_flags: '01' })
    expect(traceFields()).toEqual({})
  })
})

it('`telemetry` throws a TypeError for an unknown option', () => {
  expect(() => telemetry({ tracer: 1 } as TelemetryOptions)).toThrow(/no option "tracer"; choose from mode/)
})
