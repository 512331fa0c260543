import { inspect } from 'node:util'
import { callTool, settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type FetchHandler, type FetchOptions, toFetch } from '../../../src/http/fetch.ts'
import { type Logger, McpServer } from '../../../src/index.ts'
import { initializeMessage, type Message, parseSse } from '../support/harness.ts'

const URL_ = 'http://localhost/mcp'
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

function serve(options: FetchOptions = {}): { readonly server: McpServer; readonly handler: FetchHandler } {
  const server = new McpServer({ name: 'test', version: '1' }, { logger: silent })
  server.addTool({ name: 'echo', inputSchema: z.object({ text: z.string() }), handler: ({ text }) => text })
  server.addTool({ name: 'mount', handler: (_args, ctx) => JSON.stringify(ctx.locals) })
  server.addTool({
    name: 'report',
    inputSchema: z.object({ steps: z.number(), size: z.number().default(1) }),
    handler: async ({ steps, size }, ctx) => {
      for (let i = 1; i <= steps; i++) await ctx.progress(i, steps, 'x'.repeat(size))
      return 'reported'
    },
  })
  return { server, handler: toFetch(server, options) }
}

const post = (body: unknown, headers: Record<string, string> = {}, init: RequestInit = {}): Request =>
  new Request(URL_, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify(body),
    ...init,
  })

async function open(handler: FetchHandler): Promise<Record<string, string>> {
  const response = await handler(post(initializeMessage('2025-06-18')))
  expect(response.status).toBe(200)
  await response.json()
  const headers = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
  expect((await handler(post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers))).status).toBe(
    202,
  )
  return headers
}

const call = (name: string, args: object = {}): object =>
  callTool(name, args, { id: 2, meta: { progressToken: 1 } })

describe('toFetch', () => {
  it('serves a session: initialize, call, GET stream, DELETE', async () => {
    const { handler, server } = serve()
    const headers = await open(handler)
    const called = await handler(post(call('echo', { text: 'hé' }), headers))
    expect(called.headers.get('content-type')).toBe('application/json')
    expect(await called.json()).toMatchObject({ id: 2, result: { content: [{ text: 'hé' }] } })
    const stream = await handler(new Request(URL_, { headers: { accept: 'text/event-stream', ...headers } }))
    const reader = stream.body?.getReader()
    server.removeTool('mount')
    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value)).toContain('notifications/tools/list_changed')
    const ended = await handler(new Request(URL_, { method: 'DELETE', headers }))
    expect([ended.status, await ended.text()]).toEqual([204, ''])
    expect((await reader?.read())?.done).toBe(true)
    expect((await handler(post(call('echo'), headers))).status).toBe(404)
  })

  it('streams notifications from a call', async () => {
    const { handler } = serve()
    const response = await handler(post(call('report', { steps: 3 }), await open(handler)))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const messages = parseSse(await response.text()).map(({ data }) => JSON.parse(data) as Message)
    expect(messages.map(({ id, params }) => id ?? params?.['progress'])).toEqual([1, 2, 3, 2])
  })

  it('slows down the handler if the client reads slowly', async () => {
    const { handler } = serve()
    const response = await handler(post(call('report', { steps: 100, size: 10_000 }), await open(handler)))
    const reader = response.body?.getReader()
    await settled()
    let bytes = 0
    let text = ''
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) break
      bytes += value?.byteLength ?? 0
      text += new TextDecoder().decode(value)
    }
    expect(bytes).toBeGreaterThan(1_000_000)
    expect(parseSse(text)).toHaveLength(101)
  })

  it('lets a call continue after the client has cancelled the response stream', async () => {
    const { handler } = serve()
    const headers = await open(handler)
    const response = await handler(post(call('report', { steps: 100, size: 10_000 }), headers))
    await response.body?.cancel()
    await settled()
    expect((await handler(post(call('echo', { text: 'a' }), headers))).status).toBe(200)
  })

  it("detects through the request's signal that a client has disconnected", async () => {
    const { handler, server } = serve()
    const headers = await open(handler)
    const left = new AbortController()
    const init = { headers: { accept: 'text/event-stream', ...headers }, signal: left.signal }
    const response = await handler(new Request(URL_, init))
    const reader = response.body?.getReader()
    left.abort()
    server.removeTool('mount')
    expect((await reader?.read())?.done).toBe(true)
  })

  it("passes the mount's locals to handlers", async () => {
    const { handler } = serve({ locals: (request) => ({ from: request.headers.get('x-from') }) })
    const response = await handler(post(call('mount'), { ...(await open(handler)), 'x-from': 'here' }))
    expect(await response.json()).toMatchObject({ result: { content: [{ text: '{"from":"here"}' }] } })
  })

  it('passes additional runtime arguments to `locals`', async () => {
    interface Bindings {
      readonly city: string
    }
    const server = new McpServer<Bindings>({ name: 'test', version: '1' })
    server.addTool({ name: 'where', handler: (_args, ctx) => ctx.locals.city })
    const handler = toFetch(server, { locals: (_request, env: Bindings) => env })
    const city = { city: 'Denver' }
    const response = await handler(post(call('where'), await open(handler)), city, { waitUntil: () => {} })
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'Denver' }] } })
  })

  it('hides request headers from handler contexts, because an app may log its contexts', async () => {
    const { server, handler } = serve()
    const deep = { depth: 12, showHidden: true }
    server.addTool({ name: 'inspect', handler: (_args, ctx) => inspect(ctx, deep) })
    const headers = { ...(await open(handler)), authorization: 'Bearer canary' }
    const seen = await (await handler(post(call('inspect'), headers))).text()
    expect(seen).toContain('2025-06-18')
    expect(seen).not.toContain('canary')
  })

  it.each([
    ['/mcp', {}, { '/mcp': 400, '/other': 400, '/sse': 400 }],
    ['/mcp', { path: '/mcp' }, { '/mcp': 400, '/mcp?x=1': 400, '/mcp/': 404, '/other': 404, '/': 404 }],
    ['ai/mcp', { path: 'ai/mcp', legacySse: true }, { '/ai/mcp': 400, '/ai/message': 400, '/message': 404 }],
    ['/mcp', { path: '/mcp', health: true }, { '/livez': 405, '/readyz': 405, '/health': 404 }],
  ])(
    'serves the path %s with the options %j, and replies to POST requests with %j',
    async (_, options, statuses) => {
      const { handler } = serve(options)
      for (const [path, status] of Object.entries(statuses)) {
        const request = new Request(`http://localhost${path}`, {
          method: 'POST',
          headers: HEADERS,
          body: '{',
        })
        expect([path, (await handler(request)).status]).toEqual([path, status])
      }
      await handler.close()
    },
  )

  it('requires the locals declared by the server', async () => {
    const server = new McpServer<{ readonly user: string }>({ name: 'test', version: '1' })
    server.addTool({ name: 'who', handler: (_args, ctx) => ctx.locals.user })
    // @ts-expect-error locals is missing
    await toFetch(server).close()
    // @ts-expect-error locals has another type
    await toFetch(server, { locals: () => ({ name: 'x' }) }).close()
    const handler = toFetch(server, { locals: () => ({ user: 'ann' }) })
    const response = await handler(post(call('who'), await open(handler)))
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'ann' }] } })
  })

  it('limits the size of a body, whether or not its length is declared', async () => {
    const { handler } = serve({ limits: { bodyBytes: 500 } })
    const large = 'x'.repeat(1_000)
    expect((await handler(post(call('echo', { text: large })))).status).toBe(413)
    const counted = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 10; i++) controller.enqueue(new TextEncoder().encode('x'.repeat(100)))
        controller.close()
      },
    })
    const init = { method: 'POST', headers: HEADERS, body: counted, duplex: 'half' }
    expect((await handler(new Request(URL_, init))).status).toBe(413)
  })

  it.each([
    ['already used', async (request: Request) => void (await request.text())],
    ['locked', (request: Request) => void request.body?.getReader()],
  ])('suggests a remedy in its reply if the body is %s', async (_, use) => {
    const { handler } = serve()
    const request = post(initializeMessage())
    await use(request)
    const response = await handler(request)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Pass a request whose body nobody has read')
  })

  it('replies with 400 if a body ends prematurely', async () => {
    const { handler } = serve()
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new Error('canary'))
      },
    })
    const response = await handler(
      new Request(URL_, { method: 'POST', headers: HEADERS, body: broken, duplex: 'half' } as RequestInit),
    )
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain('canary')
  })

  it('reads a body that arrives in several chunks, and refuses an empty or missing body', async () => {
    const { handler } = serve()
    const bytes = new TextEncoder().encode(JSON.stringify(initializeMessage('2025-06-18', 'é')))
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const init = { method: 'POST', headers: HEADERS, body: pieces, duplex: 'half' }
    expect(await (await handler(new Request(URL_, init))).json()).toMatchObject({ id: 'é' })
    for (const body of ['', null]) {
      const response = await handler(new Request(URL_, { method: 'POST', headers: HEADERS, body }))
      expect([response.status, ((await response.json()) as Message).error?.code]).toEqual([400, -32700])
    }
  })

  it.each(['authorization', 'content-type', 'mcp-session-id', 'origin'])(
    'refuses a repeated %s header when its values arrive joined by commas',
    async (name) => {
      const { handler } = serve()
      const headers = new Headers(HEADERS)
      const value = name === 'content-type' ? 'application/json' : 'http://localhost'
      headers.append(name, value)
      if (name !== 'content-type') headers.append(name, value)
      const response = await handler(
        new Request(URL_, { method: 'POST', headers, body: JSON.stringify(initializeMessage()) }),
      )
      expect(response.status === 200 && name !== 'authorization').toBe(false)
    },
  )

  it('refuses a repeated mcp-protocol-version header when its values arrive joined by commas', async () => {
    const { handler } = serve({ stateless: true })
    const status = async (...versions: string[]): Promise<number> => {
      const headers = new Headers(HEADERS)
      for (const version of versions) headers.append('mcp-protocol-version', version)
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
      return (await handler(new Request(URL_, { method: 'POST', headers, body }))).status
    }
    expect(await status('2025-11-25')).toBe(200)
    expect(await status('2025-11-25', '2025-11-25')).toBe(400)
  })

  it('refuses unsupported methods, and replies to preflights without CORS headers', async () => {
    const { handler } = serve()
    const put = await handler(new Request(URL_, { method: 'PUT' }))
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE, OPTIONS'])
    const options = await handler(new Request(URL_, { method: 'OPTIONS' }))
    expect(options.status).toBe(204)
    expect([...options.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect((await handler(new Request(URL_, { method: 'HEAD' }))).status).toBe(405)
  })

  it('checks the Origin even if the local address is unknown', async () => {
    const { handler } = serve()
    expect((await handler(post(initializeMessage(), { origin: 'https://evil.example' }))).status).toBe(403)
    expect((await handler(post(initializeMessage(), { origin: 'http://localhost:6274' }))).status).toBe(200)
  })

  it.each<[string, FetchOptions, number]>([
    ['logs once that the Host cannot be checked without a socket', {}, 1],
    ['logs nothing if allowedHosts is set', { allowedHosts: ['*'] }, 0],
  ])('%s', async (_what, options, times) => {
    const warn = vi.fn<Logger['warn']>()
    const { handler } = serve({ ...options, logger: { ...silent, warn } })
    const statusOf = async (host: string): Promise<number> =>
      (await handler(post(initializeMessage('2025-06-18'), { host }))).status
    expect([await statusOf('localhost'), warn.mock.calls]).toEqual([200, []])
    for (let again = 0; again < 2; again++) expect(await statusOf('mcp.example')).toBe(200)
    expect(warn.mock.calls.map(([, message]) => message)).toEqual(
      Array.from({ length: times }, () => expect.stringContaining('set the option allowedHosts')),
    )
  })

  it('closes its streams and refuses further requests once it is closed', async () => {
    const { handler } = serve()
    const headers = await open(handler)
    const stream = await handler(new Request(URL_, { headers: { accept: 'text/event-stream', ...headers } }))
    await handler.close()
    await handler.closed
    expect(await stream.text()).toBe('')
    expect((await handler(post(initializeMessage()))).status).toBe(503)
  })
})
