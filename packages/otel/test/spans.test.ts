import { silent } from '@jetway-apps/test-support'
import { McpError } from '@jetway/client'
import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { connectPeer, memoryTransport } from '@jetway/testing'
import { mcp } from '@jetway/fastify'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import Fastify from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { telemetry, type TelemetryOptions, traceFields } from '../src/index.ts'
import { connectOver } from './support/mounts.ts'
import { registerSdk } from './support/sdk.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT_ID = 'b7ad6b7169203331'
const URL_OF_MOUNT = 'http://localhost/mcp'

function createServer(options: TelemetryOptions = {}): McpServer {
  const server = new McpServer(
    { name: 'traced', version: '1' },
    { telemetry: telemetry(options), logger: silent },
  )
  onTestFinished(() => server.close({ deadline: 0 }))
  server.addTool({ name: 'tool', handler: () => 'fine' })
  server.addPrompt({ name: 'greet', handler: () => 'Hello' })
  server.addResource({ uri: 'note:///1', name: 'note', handler: () => 'text' })
  return server
}

describe('the span of a request', () => {
  it.each([
    ['tools/call', { name: 'tool' }, 'tools/call tool', { 'gen_ai.tool.name': 'tool' }],
    ['tools/call', { name: 'invented' }, 'tools/call', {}],
    ['prompts/get', { name: 'greet' }, 'prompts/get greet', { 'gen_ai.prompt.name': 'greet' }],
    ['prompts/get', { name: 'invented' }, 'prompts/get', {}],
    [
      'resources/read',
      { uri: 'note:///1' },
      'resources/read',
      { 'mcp.resource.uri': 'note:///1', 'jetway.resource.name': 'note' },
    ],
    ['tools/list', {}, 'tools/list', {}],
    ['invented/method', {}, '_OTHER', { 'mcp.method.name': '_OTHER' }],
  ])('for %s %o, is named %s', async (method, params, name, attributes) => {
    const { spans } = registerSdk()
    const transport = await memoryTransport.open(createServer())
    const client = await connectPeer(await transport.dial(), { revision: '2025-11-25' })
    await client.request(method, params)
    const last = spans().at(-1)
    expect([last?.name, last?.kind]).toEqual([name, SpanKind.SERVER])
    const named = Object.entries(last?.attributes ?? {}).filter(
      ([key]) => /^(gen_ai\.\w+\.name|mcp\.resource|jetway\.resource)/.test(key) && !/operation/.test(key),
    )
    const { 'mcp.method.name': found, ...others } = attributes as Record<string, string>
    expect(Object.fromEntries(named)).toEqual(others)
    expect(last?.attributes['mcp.method.name']).toBe(found ?? method)
  })

  it.each([
    [-32700, false],
    [-32600, false],
    [-32601, false],
    [-32602, false],
    [-32002, false],
    [-32603, true],
    [-32000, true],
    [-32001, true],
    [1, true],
  ])('with error code %i is marked as a server error: %s', async (code, failed) => {
    const { span } = registerSdk()
    const server = createServer()
    server.addTool({
      name: 'fails',
      handler: () => {
        throw new McpError(code, 'broken')
      },
    })
    const client = await connectOver('memory', server, { revisions: ['2025-11-25'] })
    await client.callTool('fails').catch(() => {})
    const { attributes, status } = span('tools/call fails')
    expect(attributes['rpc.response.status_code']).toBe(`${code}`)
    expect([status.code, attributes['error.type']]).toEqual(
      failed ? [SpanStatusCode.ERROR, `${code}`] : [SpanStatusCode.UNSET, undefined],
    )
  })

  it('ends when a subscription is acknowledged, even though the subscription stays open', async () => {
    const { spans, openSpans } = registerSdk()
    const server = createServer()
    const client = await connectOver('toFetch', server, { telemetry: telemetry() })
    const changed = vi.fn<() => void>()
    client.on('resourceUpdated', changed)
    await trace.getTracer('host').startActiveSpan('host', async (host) => {
      await client.subscribe('note:///1')
      host.end()
    })
    const listening = () => spans().filter(({ name }) => name === 'subscriptions/listen')
    await vi.waitFor(() => expect(listening()).toHaveLength(2))
    expect(openSpans()).toBe(0)
    const [host] = spans().filter(({ name }) => name === 'host')
    const ids = new Set(listening().map((each) => each.spanContext().traceId))
    expect(ids.size).toBe(1)
    expect(ids).not.toContain(host?.spanContext().traceId)
    server.notify.resourceUpdated('note:///1')
    await vi.waitFor(() => expect(changed).toHaveBeenCalled())
  })
})

it('notifications, streams, session ends and refusals create no spans', async () => {
  const { spans } = registerSdk()
  const server = createServer()
  const open = toFetch(server)
  const closed = toFetch(server, { authenticate: () => undefined })
  onTestFinished(async () => {
    await open.close({ deadline: 0 })
    await closed.close({ deadline: 0 })
  })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const send = (message: object, session: object = {}) =>
    open(
      new Request(URL_OF_MOUNT, {
        method: 'POST',
        headers: { ...headers, ...session },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
    )
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  }
  const opened = await send({ id: 1, method: 'initialize', params: initialize })
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  const statuses = [
    await send({ method: 'notifications/initialized' }, session),
    await send({ method: 'notifications/roots/list_changed' }, session),
    await open(new Request(URL_OF_MOUNT, { headers: { ...session, accept: 'text/event-stream' } })),
    await send({ id: 2, method: 'ping' }, { 'mcp-session-id': 'unknown' }),
    await open(new Request(URL_OF_MOUNT, { method: 'PUT' })),
    await closed(new Request(URL_OF_MOUNT, { method: 'POST', headers, body: '{}' })),
    await open(new Request(URL_OF_MOUNT, { method: 'DELETE', headers: session })),
  ].map(({ status }) => status)
  expect(statuses).toEqual([202, 202, 200, 404, 405, 401, 204])
  expect(spans().map(({ name }) => name)).toEqual(['initialize'])
})

describe('a trace context with the sampled flag unset', () => {
  const META = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` }
  const call = (server: McpServer) =>
    server.handleMessage({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'tool', _meta: META },
    })

  it('is respected by default, so that no spans are recorded', async () => {
    const { spans } = registerSdk()
    await call(createServer())
    expect(spans()).toEqual([])
  })

  it.each([
    ['link', [TRACE_ID]],
    ['ignore', []],
  ] as const)(
    'is ignored if `remoteParent` is %s, so that the call starts a new trace',
    async (remoteParent, linked) => {
      const { span } = registerSdk()
      await call(createServer({ remoteParent }))
      const found = span('tools/call tool')
      expect(found.parentSpanContext).toBeUndefined()
      expect(found.spanContext().traceId).not.toBe(TRACE_ID)
      expect(found.links.map(({ context: { traceId } }) => traceId)).toEqual(linked)
    },
  )

  it('can be respected or ignored per call if `remoteParent` is a function', async () => {
    const { spans } = registerSdk()
    const server = createServer({
      remoteParent: ({ message }) => (message.params?.['name'] === 'tool' ? 'ignore' : 'parent'),
    })
    await call(server)
    const prompt = { name: 'greet', _meta: META }
    await server.handleMessage({ jsonrpc: '2.0', id: 2, method: 'prompts/get', params: prompt })
    expect(spans().map(({ name }) => name)).toEqual(['tools/call tool'])
  })
})

it("a log line contains the trace fields of its call, even if the host's logger writes it", async () => {
  const { span } = registerSdk()
  const lines: string[] = []
  const stream = { write: (line: string): void => void lines.push(line) }
  const app = Fastify({ logger: { stream, mixin: traceFields } })
  onTestFinished(() => app.close())
  const server = createServer()
  server.addTool({
    name: 'fails',
    handler: () => {
      app.log.info('within')
      throw new Error('broken')
    },
  })
  await app.register(mcp, { server, stateless: true })
  await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fails' } },
  })
  const { traceId, spanId } = span('tools/call fails').spanContext()
  const fields = { trace_id: traceId, span_id: spanId, trace_flags: '01' }
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(all.filter(({ trace_id: id }) => id !== undefined)).toMatchObject([
    { msg: 'within', ...fields },
    { level: 50, err: { message: 'broken' }, ...fields },
  ])
})
