import { Client, McpError } from '@jetway/client'
import { http } from '@jetway/client/http'
import { McpServer, tasks, type ServerOptions } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { connectPeer, memoryTransport, type PeerOptions, type TestConnection } from '@jetway/testing'
import { silent } from '@jetway-apps/test-support'
import type { DataPoint, Histogram } from '@opentelemetry/sdk-metrics'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { telemetry, type TelemetryOptions } from '../src/index.ts'
import { connectOver } from './support/mounts.ts'
import { registerSdk } from './support/sdk.ts'

function createServer(options: TelemetryOptions = {}, others: ServerOptions = {}): McpServer {
  const server = new McpServer(
    { name: 'measured', version: '1' },
    { ...others, telemetry: telemetry(options), logger: silent },
  )
  onTestFinished(() => server.close({ deadline: 0 }))
  return server
}

async function connect(server: McpServer, options: Partial<PeerOptions> = {}): Promise<TestConnection> {
  const transport = await memoryTransport.open(server)
  return connectPeer(await transport.dial(), { revision: '2025-11-25', ...options })
}

describe('metrics', () => {
  it('record durations of calls, questions and sessions, and count cancelled calls', async () => {
    const start = performance.now()
    const { points } = registerSdk()
    const server = createServer()
    server.addTool({
      name: 'ask',
      handler: async (_args, ctx) => `${Object.keys(await ctx.request('ping/pong')).length}`,
    })
    server.addTool({ name: 'hang', handler: () => new Promise<never>(() => {}) })
    const client = await connect(server, { onRequest: () => ({}) })
    await client.request('tools/call', { name: 'ask' })
    void client.request('tools/call', { name: 'hang' }, { id: 'hang' }).catch(() => {})
    await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(1))
    expect((await points())['jetway.server.sessions']).toMatchObject([{ value: 1 }])
    await client.notify('notifications/cancelled', { requestId: 'hang' })
    await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(0))
    await client.close()
    await vi.waitFor(() => expect(server.stats().sessions).toBe(0))
    const found = await points()
    expect(found['mcp.server.operation.duration']).toMatchObject([
      { attributes: { 'mcp.method.name': 'initialize', 'mcp.protocol.version': '2025-11-25' } },
      { attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'ask' }, value: { count: 1 } },
    ])
    expect(found['mcp.client.operation.duration']).toMatchObject([
      { attributes: { 'mcp.method.name': 'ping/pong' } },
    ])
    expect(found['mcp.server.session.duration']).toMatchObject([
      { attributes: { 'mcp.protocol.version': '2025-11-25' }, value: { count: 1 } },
    ])
    // Durations are in seconds, and the clock for sessions has a resolution of one millisecond.
    const elapsed = (performance.now() - start) / 1_000 + 0.002
    const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
    for (const name of ['server.operation', 'client.operation', 'server.session']) {
      const [point] = found[`mcp.${name}.duration`] as readonly DataPoint<Histogram>[]
      expect(point?.value.buckets.boundaries).toEqual(boundaries)
      expect(point?.value.sum).toBeLessThan(elapsed)
    }
    expect(found['jetway.server.cancelled']).toMatchObject([
      { attributes: { 'mcp.method.name': 'tools/call' }, value: 1 },
    ])
  })

  it('count refusals and overflows by reason', async () => {
    const { points } = registerSdk()
    const server = new McpServer(
      { name: 'full', version: '1' },
      { telemetry: telemetry(), limits: { running: 1, inFlight: 1 } },
    )
    const handler = toFetch(server)
    onTestFinished(() => handler.close({ deadline: 0 }))
    await handler(new Request('http://localhost/mcp', { method: 'PUT' }))
    server.addTool({ name: 'hang', handler: () => new Promise<never>(() => {}) })
    const client = await connectOver('toFetch', server, { revisions: ['2025-11-25'] })
    void client.callTool('hang').catch(() => {})
    await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(1))
    await expect(client.callTool('hang')).rejects.toThrow()
    const found = await points()
    expect(found['jetway.server.refusals']).toContainEqual(
      expect.objectContaining({ attributes: { reason: 'wrongMethod' }, value: 1 }),
    )
    expect(found['jetway.server.overflows']).toMatchObject([
      { attributes: { queue: 'calls', action: 'refuse' }, value: 1 },
    ])
  })

  it('still include the refusals of servers that have closed', async () => {
    const { points } = registerSdk()
    const both = telemetry()
    const refusals = async (): Promise<unknown> => (await points())['jetway.server.refusals']?.[0]?.value
    const refusing = () => {
      const server = new McpServer({ name: 'one', version: '1' }, { telemetry: both, logger: silent })
      const handler = toFetch(server)
      onTestFinished(() => server.close())
      return { server, refuse: () => handler(new Request('http://localhost/mcp', { method: 'PUT' })) }
    }
    const first = refusing()
    await first.refuse()
    await first.refuse()
    const second = refusing()
    await second.refuse()
    expect(await refusals()).toBe(3)
    await first.server.close()
    expect(await refusals()).toBe(3)
    await second.refuse()
    await second.server.close()
    expect(await refusals()).toBe(4)
  })

  it('read the stats of open servers only', async () => {
    const { points } = registerSdk()
    const both = telemetry()
    const stats = vi.fn<McpServer['stats']>()
    const open = Array.from({ length: 1_000 }, () => {
      const server = new McpServer({ name: 'one of many', version: '1' }, { telemetry: both })
      stats.mockImplementation(server.stats.bind(server))
      server.stats = stats
      return server
    })
    await points()
    expect(stats).toHaveBeenCalledTimes(1_000)
    await Promise.all(open.map((server) => server.close()))
    await points()
    expect(stats).toHaveBeenCalledTimes(1_000)
  })

  it('do not increase in number when a client invents names', async () => {
    const { points, spans } = registerSdk()
    const server = createServer()
    server.addTool({ name: 'real', handler: () => 'fine' })
    const client = await connect(server)
    for (let i = 0; i < 200; i++) {
      await client.request('tools/call', { name: `tool ${i}` })
      await client.request(`method/${i}`)
      await client.request('resources/read', { uri: `no:///${i}` })
      await client.request('prompts/get', { name: `prompt ${i}` })
    }
    const series = Object.values(await points()).reduce((sum, found) => sum + found.length, 0)
    expect(series).toBeLessThanOrEqual(40)
    expect(new Set(spans().map(({ name }) => name)).size).toBeLessThanOrEqual(8)
  })

  it('are not recorded if `metrics` is false', async () => {
    const { points } = registerSdk()
    const server = createServer({ metrics: false })
    await connect(server)
    expect(await points()).toEqual({})
  })

  it('have exactly the expected labels for a call over HTTP', async () => {
    const { points } = registerSdk()
    const server = createServer()
    server.addTool({
      name: 'fails',
      handler: () => {
        throw new McpError(-32099, 'broken')
      },
    })
    server.addPrompt({ name: 'greet', handler: () => 'Hello' })
    const client = await connectOver('toFetch', server, {
      revisions: ['2025-11-25'],
      telemetry: telemetry(),
    })
    await client.callTool('fails').catch(() => {})
    await client.getPrompt('greet')
    await client.close()
    await vi.waitFor(() => expect(server.stats().sessions).toBe(0))
    const found = await points()
    const labels = (metric: string, method?: string): object | undefined =>
      found[metric]?.find(({ attributes }) => attributes['mcp.method.name'] === method)?.attributes
    const network = { 'network.transport': 'tcp', 'network.protocol.name': 'http' }
    const revision = { 'mcp.protocol.version': '2025-11-25' }
    const address = { 'server.address': '127.0.0.1', 'server.port': 8_000 }
    const call = {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'fails',
      'error.type': '-32099',
      'rpc.response.status_code': '-32099',
      ...revision,
      ...network,
    }
    const prompt = {
      'mcp.method.name': 'prompts/get',
      'gen_ai.prompt.name': 'greet',
      ...revision,
      ...network,
    }
    expect(labels('mcp.server.operation.duration', 'tools/call')).toEqual(call)
    expect(labels('mcp.server.operation.duration', 'prompts/get')).toEqual(prompt)
    expect(labels('mcp.client.operation.duration', 'tools/call')).toEqual({ ...call, ...address })
    expect(labels('mcp.client.operation.duration', 'prompts/get')).toEqual({ ...prompt, ...address })
    expect(labels('mcp.server.session.duration')).toEqual(revision)
    expect(labels('mcp.client.session.duration')).toEqual({ ...revision, ...network, ...address })
  })

  it('record why a client session failed', async () => {
    const { points } = registerSdk()
    const server = createServer()
    server.addTool({ name: 'tool', handler: () => 'fine' })
    const handler = toFetch(server)
    onTestFinished(() => handler.close({ deadline: 0 }))
    const client = new Client(
      { name: 'c', version: '1' },
      { eras: false, revisions: ['2025-11-25'], telemetry: telemetry() },
    )
    onTestFinished(() => client.close())
    const fetch = async (url: string, init: RequestInit): Promise<Response> => handler(new Request(url, init))
    await client.connect(http('http://127.0.0.1:8000/mcp', { fetch }))
    const id = client.session?.id ?? ''
    const ended = await handler(
      new Request('http://127.0.0.1:8000/mcp', { method: 'DELETE', headers: { 'mcp-session-id': id } }),
    )
    expect(ended.status).toBe(204)
    await client.callTool('tool')
    await client.close()
    expect((await points())['mcp.client.session.duration']).toMatchObject([
      { attributes: { 'error.type': 'session-lost' } },
      { attributes: expect.not.objectContaining({ 'error.type': expect.anything() }) },
    ])
  })

  it('count refusals by the reason given in the `reject` event', async () => {
    const { points } = registerSdk()
    const server = createServer({}, { limits: { running: 1, inFlight: 1 } })
    const reasons: string[] = []
    server.on('reject', ({ reason }) => void reasons.push(reason))
    const open = toFetch(server, { allowedHosts: ['localhost'] })
    const closed = toFetch(server, { authenticate: () => undefined })
    onTestFinished(async () => {
      await open.close({ deadline: 0 })
      await closed.close({ deadline: 0 })
    })
    await open(new Request('http://localhost/mcp', { method: 'PUT' }))
    await open(new Request('http://evil.example/mcp', { method: 'POST', headers: { host: 'evil.example' } }))
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    await closed(new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' }))
    await closed(new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' }))
    const found = (await points())['jetway.server.refusals'] ?? []
    const counted = found.map(({ attributes, value }) => [attributes['reason'], value])
    expect(Object.fromEntries(counted)).toMatchObject({ wrongMethod: 1, forbiddenHost: 1, unauthorized: 2 })
    expect(counted.reduce((sum, [, value]) => sum + Number(value), 0)).toBe(reasons.length)
  })

  it('match `server.stats()`', async () => {
    const { points } = registerSdk()
    const server = createServer({}, { extensions: [tasks()] })
    const ends: (() => void)[] = []
    const handler = (): Promise<string> => new Promise((resolve) => ends.push(() => resolve('done')))
    server.addTool({ name: 'task', taskSupport: 'required', handler })
    server.addTool({ name: 'call', handler })
    const client = await connectOver('toFetch', server, { revisions: ['2025-11-25'] })
    await client.startTask('task')
    const call = client.callTool('call')
    await vi.waitFor(() => expect(ends).toHaveLength(2))
    await vi.waitFor(() => expect(server.stats().openStreams).toBeGreaterThan(0))
    const stats = server.stats()
    const found = await points()
    const value = (name: string): unknown => found[`jetway.server.${name}`]?.[0]?.value
    for (const end of ends) end()
    await call
    expect(stats).toMatchObject({ sessions: 1, tasks: 1 })
    expect(stats).toEqual({
      ...stats,
      sessions: value('sessions'),
      openStreams: value('streams'),
      callsInFlight: value('calls'),
      tasks: value('tasks'),
      queuedBytes: value('queued'),
      replayEvents: value('replay.events'),
      replayBytes: value('replay.size'),
    })
  })
})
