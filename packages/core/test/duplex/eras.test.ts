import { deferred, notification, requestMeta, settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { serveTransport } from '../../src/duplex/connection.ts'
import { complete } from '../../src/call/result.ts'
import { McpServer } from '../../src/server/mcp-server.ts'
import { gatedTool } from '../support/gated-tool.ts'
import { createTestRuntime } from '../support/runtime.ts'
import { ScriptedTransport } from '../support/transport.ts'

const VERSION = '2026-07-28'
const META = requestMeta({}, VERSION)

interface Frame {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly data?: unknown }
}

const request = (id: unknown, method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
/** A stateless request, whose `_meta` contains the protocol version. */
const alone = (id: unknown, method: string, params: object = {}, version = VERSION): object =>
  request(id, method, {
    ...params,
    _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': version },
  })
const initialize = (capabilities: object = {}): object =>
  request('init', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'c', version: '1' },
  })
const cancel = (requestId: unknown, params: object = {}): object =>
  notification('notifications/cancelled', { requestId, ...params })

function bench(limits?: { readonly running: number; readonly inFlight: number }) {
  const tool = gatedTool()
  const runtime = createTestRuntime({ 'tools/call': tool.entry }, limits && { limits })
  const rejected: unknown[] = []
  runtime.events.on('reject', ({ reason }) => rejected.push(reason))
  const transport = new ScriptedTransport()
  const connection = serveTransport(runtime, transport)
  const texts = (): unknown[] =>
    (transport.sent as Frame[]).map(({ id, result }) => {
      const content = result?.['content'] as { readonly text: string }[] | undefined
      return [id, content?.[0]?.text]
    })
  return { ...tool, transport, connection, clock: runtime.clock, rejected, texts }
}

function serverOf(): McpServer {
  const server = new McpServer({ name: 'a', version: '1' })
  server.addTool({
    name: 'era',
    handler: async (_args, ctx) => {
      await ctx.progress(1, 2, ctx.protocolVersion)
      ctx.log.warning(ctx.protocolVersion)
      return ctx.protocolVersion
    },
  })
  return server
}

describe('a connection that serves both eras (https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning)', () => {
  it('lets a client open a session after server/discover, and use both eras', async () => {
    const transport = new ScriptedTransport()
    serverOf().connect(transport)
    const call = { name: 'era' }
    await transport.receive(alone(1, 'server/discover'))
    await transport.receive(initialize())
    await transport.receive(request(2, 'tools/call', call))
    await transport.receive(alone(2, 'tools/call', call))
    await transport.receive(request(3, 'tools/call', call))
    await vi.waitFor(() =>
      expect((transport.sent as Frame[]).filter((frame) => 'id' in frame)).toHaveLength(5),
    )
    const answers = (transport.sent as Frame[]).filter((frame) => 'id' in frame)
    expect(answers.find(({ id }) => id === 1)).toMatchObject({ result: { supportedVersions: [VERSION] } })
    expect(answers.find(({ id }) => id === 'init')).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    })
    const calls = answers.filter(({ id }) => id === 2 || id === 3)
    expect(calls.map(({ id, result }) => [id, JSON.stringify(result?.['content'])])).toEqual([
      [2, '[{"type":"text","text":"2025-11-25"}]'],
      [2, `[{"type":"text","text":"${VERSION}"}]`],
      [3, '[{"type":"text","text":"2025-11-25"}]'],
    ])
  })

  it('responds to two calls with the same id, each in its own revision', async () => {
    const { transport, release, texts } = bench()
    await transport.receive(initialize())
    transport.sent.length = 0
    void transport.receive(request(1, 'tools/call', { key: 'a' }))
    void transport.receive(alone(1, 'tools/call', { key: 'b' }))
    release('b')
    await settled()
    release('a')
    await settled()
    expect(texts()).toEqual([
      [1, 'b alone'],
      [1, 'a in a session'],
    ])
  })

  it("sends a stateless request's notifications with its own token and level", async () => {
    const transport = new ScriptedTransport()
    serverOf().connect(transport)
    await transport.receive(
      request(1, 'tools/call', {
        name: 'era',
        _meta: { ...META, progressToken: 'mine', 'io.modelcontextprotocol/logLevel': 'info' },
      }),
    )
    await transport.receive(alone(2, 'tools/call', { name: 'era' }))
    await vi.waitFor(() => expect(transport.sent).toHaveLength(4))
    expect(transport.sent).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'mine', message: VERSION } },
      { method: 'notifications/message', params: { level: 'warning', data: VERSION } },
      { id: 1 },
      { id: 2 },
    ])
  })
})

describe('cancelling a stateless request (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#cancellation)', () => {
  it('aborts the handler and sends nothing more', async () => {
    const { transport, release, ended, connection } = bench()
    void transport.receive(alone(1, 'tools/call', { key: 'a' }))
    await transport.receive(cancel(1))
    release('a')
    await settled()
    expect([transport.sent, ended, connection.stats().callsInFlight]).toEqual([[], ['a'], 0])
  })

  it('requires the revision if a call in the session has the same id', async () => {
    const { transport, ended } = bench()
    await transport.receive(initialize())
    void transport.receive(request(1, 'tools/call', { key: 'session' }))
    void transport.receive(alone(1, 'tools/call', { key: 'alone' }))
    await transport.receive(cancel(1))
    expect(ended).toEqual([])
    await transport.receive(cancel(1, { _meta: META }))
    await settled()
    expect(ended).toEqual(['alone'])
    await transport.receive(cancel(1))
    expect(ended).toEqual(['alone', 'session'])
  })
})

describe.each([
  ['in a session', request],
  ['without a session', alone],
])('calls %s', (_whose, send) => {
  const call = (key: string): object => send(key, 'tools/call', { key })

  async function open(limits: { readonly running: number; readonly inFlight: number }) {
    const made = bench(limits)
    await made.transport.receive(initialize())
    made.transport.sent.length = 0
    return made
  }

  it('are queued above the running limit, and pause reading at the in-flight limit', async () => {
    const { transport, started, release, rejected } = await open({ running: 1, inFlight: 2 })
    expect(transport.receive(call('a'))).toBeUndefined()
    const held = transport.receive(call('b'))
    expect(held).toBeInstanceOf(Promise)
    expect(started).toEqual(['a'])
    release('a')
    await held
    await settled()
    expect([started, rejected]).toEqual([['a', 'b'], []])
  })

  it('never reach the handler if they are cancelled while queued', async () => {
    const { transport, release, started } = await open({ running: 1, inFlight: 9 })
    for (const key of ['a', 'b', 'c']) void transport.receive(call(key))
    await transport.receive(cancel('b'))
    for (const key of ['a', 'c']) {
      release(key)
      await settled()
    }
    expect(started).toEqual(['a', 'c'])
    expect(transport.sent).toMatchObject([{ id: 'a' }, { id: 'c' }])
  })

  it('never reach the handler if the connection closes while they are queued', async () => {
    const { transport, connection, clock, started, ended } = await open({ running: 1, inFlight: 9 })
    for (const key of ['a', 'b']) void transport.receive(call(key))
    const closed = connection.close({ deadline: 1 })
    await clock.advance(1)
    await closed
    await settled()
    expect([started, ended]).toEqual([['a'], ['a']])
    const errors = (transport.sent as Frame[]).map(({ id, error }) => `${String(id)} ${error?.code}`)
    expect(errors.toSorted()).toEqual(['a -32603', 'b -32603'])
  })
})

describe('stateless requests on a duplex transport', () => {
  it('are read, even at the in-flight limit, while a question to the client is pending', async () => {
    const server = new McpServer(
      { name: 'a', version: '1' },
      { limits: { running: 1, inFlight: 2 }, logger: silent },
    )
    const { promise: gate, resolve: ask } = deferred()
    server.addTool({
      name: 'asks',
      handler: async (_args, ctx) => (await gate, `${(await ctx.listRoots()).length} roots`),
    })
    server.addTool({ name: 'hangs', handler: () => new Promise<string>(() => {}) })
    const rejected: string[] = []
    server.on('reject', ({ reason }) => rejected.push(reason))
    const transport = new ScriptedTransport()
    const connection = server.connect(transport)
    await transport.receive(initialize({ roots: {} }))
    void transport.receive(request(1, 'tools/call', { name: 'asks' }))
    void transport.receive(alone(2, 'tools/call', { name: 'hangs' }))
    const held = transport.receive(alone(3, 'tools/call', { name: 'hangs' }))
    expect(held).toBeInstanceOf(Promise)
    ask()
    await held
    const question = (transport.sent as Frame[]).find(({ method }) => method === 'roots/list')
    // The limit is reached, so the request is refused, but the connection must continue to read.
    expect(transport.receive(alone(4, 'tools/call', { name: 'hangs' }))).toBeUndefined()
    expect(rejected).toEqual(['busy'])
    expect(connection.stats()).toMatchObject({ callsInFlight: 3, refusals: { busy: 1 } })
    await transport.receive({ jsonrpc: '2.0', id: question?.id, result: { roots: [] } })
    await vi.waitFor(() => expect(JSON.stringify(transport.sent)).toContain('0 roots'))
    await connection.close({ deadline: 0 })
  })

  it('wait until the lifespan is ready', async () => {
    const { promise: opened, resolve: open } = deferred()
    let isOpen = false
    const runtime = createTestRuntime(
      { 'tools/call': { handle: () => complete({ content: [] }) } },
      { ready: () => (isOpen ? undefined : opened) },
    )
    const transport = new ScriptedTransport()
    serveTransport(runtime, transport)
    const held = transport.receive(alone(1, 'tools/call'))
    expect(held).toBeInstanceOf(Promise)
    isOpen = true
    open()
    await held
    await settled()
    await transport.receive(alone(2, 'tools/call'))
    expect(transport.sent).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ])
  })

  it('are counted, and receive a response even after the client has closed its side', async () => {
    const { transport, connection, release, texts } = bench()
    void transport.receive(alone(1, 'tools/call', { key: 'a' }))
    expect(connection.stats()).toMatchObject({ sessions: 0, callsInFlight: 1 })
    transport.end()
    release('a')
    await connection.closed
    expect(texts()).toEqual([[1, 'a alone']])
  })

  it('are rejected if their metadata is invalid, and are counted by reason', async () => {
    const { transport, connection, rejected } = bench()
    await transport.receive(request(1, 'tools/list', { _meta: { ...META, [CAPABILITIES]: 5 } }))
    await transport.receive(alone(2, 'tools/list', {}, '2099-01-01'))
    // The `_meta` of a request may not name a revision that has sessions.
    await transport.receive(alone(3, 'tools/list', {}, '2025-11-25'))
    await transport.receive(alone(4, 'initialize'))
    await transport.receive(alone(5, 'ping'))
    const unsupported = { code: -32022, data: { supported: [VERSION] } }
    expect(transport.sent).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, error: unsupported },
      { id: 3, error: unsupported },
      { id: 4, error: { code: -32601 } },
      { id: 5, error: { code: -32601 } },
    ])
    expect(rejected).toEqual(['badMetadata', 'unsupportedVersion', 'unsupportedVersion'])
    expect(connection.stats().refusals).toEqual({ badMetadata: 1, unsupportedVersion: 2 })
  })
})

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

describe('a ping on a connection', () => {
  const unknown = { ...META, 'io.modelcontextprotocol/protocolVersion': '1999-01-01' }

  it.each<[string, (typeof VERSION | '2025-11-25')[], object | undefined, object]>([
    ['it precedes the session', [VERSION, '2025-11-25'], undefined, { result: {} }],
    ['it has metadata', [VERSION, '2025-11-25'], META, { error: { code: -32601 } }],
    ['it names an unknown revision', [VERSION, '2025-11-25'], unknown, { error: { code: -32022 } }],
    ['it lacks required metadata', [VERSION], undefined, { error: { code: -32602 } }],
    ['it lacks metadata on a server that serves only sessions', ['2025-11-25'], undefined, { result: {} }],
  ])(
    'receives the response that the revisions of the connection define if %s',
    async (_what, revisions, _meta, expected) => {
      const transport = new ScriptedTransport()
      serverOf().connect(transport, { revisions })
      await transport.receive({ jsonrpc: '2.0', id: 1, method: 'ping', ...(_meta && { params: { _meta } }) })
      expect(transport.sent).toMatchObject([{ id: 1, ...expected }])
    },
  )
})

describe('a connection that serves a single era', () => {
  it('rejects initialize with the supported versions if it has no sessions', async () => {
    const transport = new ScriptedTransport()
    serverOf().connect(transport, { revisions: [VERSION] })
    await transport.receive(initialize())
    await transport.receive(request(2, 'tools/list'))
    await transport.receive(alone(3, 'tools/list'))
    await transport.receive([request(4, 'tools/list')])
    expect(transport.sent).toMatchObject([
      { id: 'init', error: { code: -32022, data: { supported: [VERSION], requested: '2025-11-25' } } },
      { id: 2, error: { code: -32602 } },
      { id: 3, result: { resultType: 'complete' } },
      { error: { code: -32600 } },
    ])
  })

  it('rejects server/discover with a session-era error if it has only sessions', async () => {
    const transport = new ScriptedTransport()
    serverOf().connect(transport, { revisions: ['2025-11-25'] })
    await transport.receive(alone(1, 'server/discover'))
    await transport.receive(initialize())
    await transport.receive(alone(2, 'server/discover'))
    // In a revision with sessions, `_meta` is ignored, so the request belongs to the session.
    await transport.receive(alone(3, 'tools/list'))
    expect(transport.sent).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 'init', result: {} },
      { id: 2, error: { code: -32601 } },
      { id: 3, result: {} },
    ])
  })

  it('requires at least one revision', () => {
    const server = new McpServer({ name: 'a', version: '1' }, { revisions: ['2025-11-25'] })
    expect(() => server.connect(new ScriptedTransport(), { revisions: [VERSION] })).toThrow(
      expect.objectContaining({ code: 'ERR_MCP_REVISION' }),
    )
  })
})

describe('server.handleMessage in both eras', () => {
  it.each<[string, readonly (typeof VERSION | '2025-11-25')[], object, object]>([
    ['with its own metadata', [VERSION, '2025-11-25'], alone(1, 'tools/list'), { result: { ttlMs: 0 } }],
    ['without metadata', [VERSION, '2025-11-25'], request(1, 'tools/list'), { result: { tools: [{}] } }],
    [
      'without metadata where it is required',
      [VERSION],
      request(1, 'tools/list'),
      { error: { code: -32602 } },
    ],
    ['that is initialize on a server without sessions', [VERSION], initialize(), { error: { code: -32022 } }],
    [
      'with its own metadata on a server that serves only sessions',
      ['2025-11-25'],
      alone(1, 'server/discover'),
      { error: {} },
    ],
  ])(
    'handles a message %s in accordance with the server’s revisions',
    async (_what, revisions, message, expected) => {
      const server = new McpServer({ name: 'a', version: '1' }, { revisions })
      server.addTool({ name: 'a', handler: () => 'x' })
      expect(JSON.parse((await server.handleMessage(message)) ?? '')).toMatchObject(expected)
    },
  )
})
