import { deferred, initialize, notification, requestMeta, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { createHarness as harnessOf, type Harness, type HarnessOptions } from '../support/harness.ts'

const createHarness = (options: HarnessOptions = {}): Harness =>
  harnessOf({ setUp: (server) => server.addTool({ name: 'a', handler: () => 'done' }), ...options })

const VERSION = '2026-07-28'
const META = requestMeta({}, VERSION)
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

interface Call {
  readonly method?: string
  readonly params?: object
  readonly meta?: object
  readonly headers?: Readonly<Record<string, string | undefined>>
}

function send(
  { post }: Harness,
  { method = 'tools/list', params = {}, meta = META, headers }: Call = {},
): ReturnType<Harness['post']> {
  const { name, uri } = params as { readonly name?: string; readonly uri?: string }
  return post(
    { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: meta } },
    { 'mcp-protocol-version': VERSION, 'mcp-method': method, 'mcp-name': name ?? uri, ...headers },
  )
}

describe('a stateless request (https://modelcontextprotocol.io/specification/2026-07-28/basic)', () => {
  it('receives a complete result with the server info, and opens no session', async () => {
    const harness = createHarness()
    const { status, headers, json } = await send(harness)
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('mcp-session-id')
    expect(json).toMatchObject({
      id: 7,
      result: {
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { [SERVER_INFO]: { name: expect.any(String) as string } },
      },
    })
  })

  it('can list the stateless versions with server/discover', async () => {
    const harness = createHarness({ server: { instructions: ({ info }) => `For ${info?.name}` } })
    const { json } = await send(harness, { method: 'server/discover' })
    expect(json.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [VERSION],
      ttlMs: 0,
      instructions: 'For test',
    })
    expect(json.result).toHaveProperty('capabilities.tools')
  })

  it.each<[string, Call, number, number]>([
    ['a missing protocol version, although the header has one', { meta: {} }, 400, -32602],
    [
      'a protocol version that is not a string',
      { meta: { ...META, 'io.modelcontextprotocol/protocolVersion': 1 } },
      400,
      -32602,
    ],
    ['missing capabilities', { meta: { 'io.modelcontextprotocol/protocolVersion': VERSION } }, 400, -32602],
    ['an unknown log level', { meta: { ...META, 'io.modelcontextprotocol/logLevel': 'loud' } }, 400, -32602],
    ['a missing version header', { headers: { 'mcp-protocol-version': undefined } }, 400, -32020],
    ['a version header that differs', { headers: { 'mcp-protocol-version': '2025-11-25' } }, 400, -32020],
    ['a missing method header', { headers: { 'mcp-method': undefined } }, 400, -32020],
    ['a method header that differs', { headers: { 'mcp-method': 'tools/call' } }, 400, -32020],
    ['a method header in capitals', { headers: { 'mcp-method': 'TOOLS/LIST' } }, 400, -32020],
    [
      'a missing name header',
      { method: 'tools/call', params: { name: 'a' }, headers: { 'mcp-name': undefined } },
      400,
      -32020,
    ],
    [
      'a name header that differs',
      { method: 'tools/call', params: { name: 'a' }, headers: { 'mcp-name': 'b' } },
      400,
      -32020,
    ],
    ['a method that was removed from the protocol', { method: 'ping' }, 404, -32601],
    ['initialize', { method: 'initialize' }, 404, -32601],
    ['an unknown method', { method: 'x/y' }, 404, -32601],
    ['an unknown tool', { method: 'tools/call', params: { name: 'nope' } }, 200, -32602],
  ])('is refused for %s', async (_what, call, status, code) => {
    const answer = await send(createHarness(), call)
    expect(answer).toMatchObject({ status, json: { id: 7, error: { code } } })
  })

  it('receives a list of supported versions if its body and header name an unsupported one', async () => {
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const answer = await send(createHarness(), { meta, headers: { 'mcp-protocol-version': '2099-01-01' } })
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { code: -32022, data: { supported: [VERSION], requested: '2099-01-01' } } },
    })
  })

  it('is served at the same URL as sessions, and ignores the session id header', async () => {
    const harness = createHarness()
    const session = await harness.open()
    expect((await send(harness, { headers: { 'mcp-session-id': 'unknown' } })).status).toBe(200)
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200)
  })

  it('is accepted and ignored if it is a notification', async () => {
    const { post } = createHarness()
    const cancelled = notification('notifications/cancelled', { requestId: 1, _meta: META })
    expect((await post(cancelled, { 'mcp-protocol-version': VERSION })).status).toBe(202)
  })
})

describe("closing a request's stream (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation)", () => {
  it('aborts the handler, and drops messages that it sends later', async () => {
    const { promise: released, resolve: release } = deferred()
    let ended = (_how: unknown): void => {}
    const end = new Promise((resolve) => (ended = resolve))
    const harness = createHarness({
      setUp: (server) =>
        server.addTool({
          name: 'talks',
          async handler(_args, ctx) {
            await ctx.progress(1)
            await released
            await ctx.progress(2)
            ctx.log.emergency('still here')
            ended(ctx.signal.aborted)
            return 'done'
          },
        }),
    })
    const meta = { ...META, progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' }
    const answer = await send(harness, { method: 'tools/call', params: { name: 'talks' }, meta })
    expect(answer.sink.messages).toMatchObject([{ method: 'notifications/progress' }])
    answer.request.leave()
    const [before, inFlight] = [answer.sink.text, harness.endpoint.stats().callsInFlight]
    release()
    expect(await end).toBe(true)
    await settled()
    expect([answer.sink.text, answer.sink.closed]).toEqual([before, true])
    expect([inFlight, harness.endpoint.stats().callsInFlight]).toEqual([1, 0])
    expect(harness.log.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('a mount that serves only stateless requests', () => {
  const narrowed = { endpoint: { revisions: [VERSION] } } as const

  it('refuses GET, and lists the allowed methods', async () => {
    const { send: request } = createHarness(narrowed)
    expect(await request({ method: 'GET' })).toMatchObject({
      status: 405,
      headers: { allow: 'POST, OPTIONS' },
    })
  })

  it('lists the supported versions for a client that tries to open a session', async () => {
    const { post } = createHarness(narrowed)
    expect(await post(initialize())).toMatchObject({
      status: 400,
      json: { id: 1, error: { code: -32022, data: { supported: [VERSION], requested: '2025-11-25' } } },
    })
  })
})

describe("response: 'sse'", () => {
  it('keeps the HTTP status of errors, but streams every other reply', async () => {
    const harness = createHarness({ endpoint: { response: 'sse' } })
    const refused = await send(harness, { method: 'tools/invent' })
    expect([refused.status, refused.json]).toMatchObject([404, { error: { code: -32601 } }])
    const listed = await send(harness)
    expect([listed.status, listed.headers['content-type']]).toEqual([200, 'text/event-stream'])
  })
})
