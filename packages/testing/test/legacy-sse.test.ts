import { McpServer } from '@jetway/core'
import { bearer, type EndpointOptions, toFetch } from '@jetway/core/http'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenForTest, originOf } from './support/listen.ts'

/** Serves below a base path, and returns its URL. */
type Serve = (server: McpServer, options: EndpointOptions, base: string) => Promise<string>

const MOUNTS: Readonly<Record<string, Serve>> = {
  async Fastify(server, options, base) {
    const app = Fastify()
    onTestFinished(() => app.close())
    await app.register(
      async (scope) => void scope.register(fastifyMcp, { server, path: '/mcp', ...options }),
      base === '' ? {} : { prefix: base },
    )
    await app.listen({ port: 0, host: '127.0.0.1' })
    return `${originOf(app.server)}${base}`
  },
  async Hono(server, options, base) {
    const inner = new Hono().use(honoMcp({ server, path: '/mcp', ...options }))
    inner.get('/other', (c) => c.text('of the app'))
    const app = base === '' ? inner : new Hono().route(base, inner)
    return `${await listenForTest(app.fetch)}${base}`
  },
  async toFetch(server, options, base) {
    return `${await listenForTest(toFetch(server, options))}${base}`
  },
}

interface Event {
  readonly event: string
  readonly data: string
}

/** The simplest client of the transport: it reads one connection, and sends a POST for each message. */
class Stream {
  readonly response: Response
  readonly #reader: ReadableStreamDefaultReader<string> | undefined
  #text = ''

  constructor(response: Response) {
    this.response = response
    this.#reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  }

  static async open(base: string, headers: Record<string, string> = {}): Promise<Stream> {
    const stream = new Stream(
      await fetch(`${base}/sse`, { headers: { accept: 'text/event-stream', ...headers } }),
    )
    onTestFinished(() => stream.leave())
    return stream
  }

  /** The next event; undefined at the end of the stream. */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split('\n')
        this.#text = this.#text.slice(end + 2)
        const field = (name: string): string =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
        return { event: field('event'), data: field('data') }
      }
      const read = await this.#reader?.read()
      if (read?.value === undefined) return undefined
      this.#text += read.value
    }
  }

  /** The next message that is a JSON-RPC message. */
  async message(): Promise<Record<string, unknown>> {
    return JSON.parse((await this.next())?.data ?? 'null') as Record<string, unknown>
  }

  async leave(): Promise<void> {
    await this.#reader?.cancel().catch(() => {})
  }
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() }
}

const initialize = (protocolVersion: string): object => ({
  jsonrpc: '2.0',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'mcp-test', version: '0.1' } },
  id: 1,
})
const ping = { jsonrpc: '2.0', id: 9, method: 'ping' }

function createServer(): { readonly server: McpServer; readonly release: () => void } {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const server = new McpServer({ name: 'sse', version: '1.0.0' })
  server.addTool({ name: 'hello', handler: () => 'hello' })
  server.addTool({
    name: 'slow',
    async handler(_args, ctx) {
      await ctx.progress(1, 2)
      await released
      return 'slow'
    },
  })
  onTestFinished(() => server.close({ deadline: 0 }))
  return { server, release }
}

async function connect(base: string, headers: Record<string, string> = {}) {
  const stream = await Stream.open(base, headers)
  const endpoint = await stream.next()
  expect(endpoint?.event).toBe('endpoint')
  const url = new URL(endpoint?.data ?? '', base).href
  return { stream, url }
}

// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
describe.each(Object.entries(MOUNTS))('HTTP+SSE on %s', (_name, serve) => {
  const mount = (
    { server }: { server: McpServer } = createServer(),
    options: EndpointOptions = {},
    base = '',
  ): Promise<string> => serve(server, { legacySse: true, ...options }, base)

  it('serves two connections that never send notifications/initialized', async () => {
    const base = await mount()
    const listener = await Stream.open(base)
    const first = await listener.next()
    expect(first).toEqual({
      event: 'endpoint',
      data: expect.stringMatching(
        /^\/message\?sessionId=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    })
    const path = first?.data ?? ''
    const accepted = { status: 202, type: 'text/plain; charset=utf-8', body: 'Accepted' }
    expect(await post(`${base}${path}`, initialize('2024-11-05'))).toEqual(accepted)
    expect(await post(`${base}${path}`, { jsonrpc: '2.0', method: 'tools/list', params: {}, id: 2 })).toEqual(
      accepted,
    )
    const answers = [await listener.next(), await listener.next()]
    expect(answers.map((answer) => answer?.event)).toEqual(['message', 'message'])
    expect(answers.map((answer) => JSON.parse(answer?.data ?? '') as unknown)).toEqual([
      expect.objectContaining({ id: 1, result: expect.objectContaining({ protocolVersion: '2024-11-05' }) }),
      expect.objectContaining({ id: 2, result: { tools: [expect.anything(), expect.anything()] } }),
    ])
  })

  it('is an event stream with headers against proxy buffering', async () => {
    const { response } = await Stream.open(await mount())
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
  })

  it('answers invalid requests with the statuses and bodies that clients expect', async () => {
    const base = await mount()
    const { url } = await connect(base)
    const plain = 'text/plain; charset=utf-8'
    expect(await post(`${base}/message?sessionId=nobody`, ping)).toEqual({
      status: 404,
      type: plain,
      body: 'Session not found',
    })
    expect(await post(`${base}/message`, ping)).toEqual({
      status: 400,
      type: plain,
      body: 'sessionId query parameter is not provided',
    })
    const bad = await post(url, '{"canary"')
    expect([bad.status, bad.body]).toEqual([400, expect.stringContaining('-32700')])
    expect(bad.body).not.toContain('canary')
    expect((await post(url, '{"canary":1}')).status).toBe(400)
    expect((await post(url, ping, { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await post(url, ping, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(202)
  })

  it('opens a stream only if Accept allows one', async () => {
    const base = await mount()
    const refused = await fetch(`${base}/sse`, { headers: { accept: 'text/html' } })
    expect([refused.status, await refused.json()]).toEqual([
      406,
      { jsonrpc: '2.0', error: { code: -32600, message: expect.stringContaining('text/event-stream') } },
    ])
    const { stream } = await connect(base, { accept: '*/*' })
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  })

  it('accepts messages with any Accept, and the session id in a header instead of the query', async () => {
    const base = await mount()
    const { stream, url } = await connect(base)
    const none = { accept: 'image/png', 'mcp-protocol-version': '1999-01-01' }
    expect((await post(url, initialize('2024-11-05'), none)).status).toBe(202)
    expect(await stream.message()).toMatchObject({ id: 1, result: {} })
    const session = { 'mcp-session-id': new URL(url).searchParams.get('sessionId') ?? '' }
    expect((await post(`${base}/message`, ping, session)).status).toBe(202)
    expect(await stream.message()).toEqual({ jsonrpc: '2.0', id: 9, result: {} })
    // If both are given, the query wins.
    expect((await post(`${base}/message?sessionId=nobody`, ping, session)).status).toBe(404)
  })

  it('answers other methods with 405 and Allow, and OPTIONS with 204', async () => {
    const base = await mount()
    const { url } = await connect(base)
    for (const [address, allowed, refused] of [
      [`${base}/sse`, 'GET, OPTIONS', ['POST', 'PUT', 'DELETE', 'HEAD']],
      [url, 'POST, OPTIONS', ['GET', 'PUT', 'DELETE', 'HEAD']],
    ] as const) {
      for (const method of refused) {
        const response = await fetch(address, { method })
        expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, allowed])
      }
      const options = await fetch(address, { method: 'OPTIONS' })
      expect([options.status, options.headers.get('allow')]).toEqual([204, allowed])
    }
  })

  it('answers a POST at once, and sends progress and results of concurrent calls on the stream', async () => {
    const made = createServer()
    const { stream, url } = await connect(await mount(made))
    await post(url, initialize('2025-06-18'))
    await stream.message()
    const params = { name: 'slow', arguments: {}, _meta: { progressToken: 'p' } }
    expect((await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/call', params })).status).toBe(202)
    expect(await stream.message()).toMatchObject({ method: 'notifications/progress' })
    await post(url, ping)
    expect(await stream.message()).toMatchObject({ id: 9, result: {} })
    made.release()
    // The response waits until the client has read the progress.
    const question = await stream.message()
    expect(question).toMatchObject({ method: 'ping' })
    await post(url, { jsonrpc: '2.0', id: question['id'], result: {} })
    expect(await stream.message()).toMatchObject({ id: 2, result: { content: [{ text: 'slow' }] } })
  })

  it('ends the session with the stream', async () => {
    const { stream, url } = await connect(await mount())
    expect((await post(url, initialize('2024-11-05'))).status).toBe(202)
    await stream.leave()
    await expect.poll(async () => (await post(url, ping)).status).toBe(404)
  })

  it('refuses the session of another principal', async () => {
    const verify = (token: string): { principal: string } => ({ principal: token })
    const base = await mount(createServer(), { authenticate: bearer({ verify }) })
    const ada = { authorization: 'Bearer ada' }
    const { url } = await connect(base, ada)
    expect((await fetch(`${base}/sse`)).status).toBe(401)
    expect((await post(url, initialize('2024-11-05'))).status).toBe(401)
    const foreign = await post(url, initialize('2024-11-05'), { authorization: 'Bearer bob' })
    expect([foreign.status, foreign.body]).toEqual([404, 'Session not found'])
    expect((await post(url, initialize('2024-11-05'), ada)).status).toBe(202)
  })

  it('refuses a page of another origin on both routes', async () => {
    const base = await mount()
    const { url } = await connect(base)
    const origin = { origin: 'https://evil.example' }
    expect((await fetch(`${base}/sse`, { headers: origin })).status).toBe(403)
    expect((await post(url, ping, origin)).status).toBe(403)
  })

  it('announces a message path with the prefix of the MCP path', async () => {
    const base = await mount(createServer(), {}, '/api/v1')
    const { stream, url } = await connect(base)
    expect(new URL(url).pathname).toBe('/api/v1/message')
    expect((await post(url, initialize('2024-11-05'))).status).toBe(202)
    expect(await stream.message()).toMatchObject({ id: 1 })
    const streamable = { accept: 'application/json, text/event-stream' }
    expect((await post(`${base}/mcp`, initialize('2025-06-18'), streamable)).status).toBe(200)
  })

  it('answers at configured paths', async () => {
    const legacySse = { ssePath: '/mcp/sse', messagePath: '/mcp/message' }
    const base = await mount(createServer(), { legacySse }, '/api')
    const { url } = await connect(`${base}/mcp`)
    expect(new URL(url).pathname).toBe('/api/mcp/message')
    expect((await post(url, initialize('2024-11-05'))).status).toBe(202)
  })

  it('announces the public path behind a proxy that strips a prefix', async () => {
    const publicUrl = 'https://mcp.example.com/tools/mcp'
    const base = await mount(createServer(), { publicUrl, allowedHosts: ['*'] })
    const { url } = await connect(base)
    expect(new URL(url).pathname).toBe('/tools/message')
  })

  it('finishes a running call when the server closes, then ends the stream', async () => {
    const made = createServer()
    const { stream, url } = await connect(await mount(made))
    await post(url, initialize('2024-11-05'))
    await stream.message()
    await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'slow' } })
    await post(url, ping)
    await stream.message()
    const closed = made.server.close({ deadline: 5_000 })
    expect((await post(url, ping)).status).toBe(503)
    made.release()
    expect(await stream.message()).toMatchObject({ id: 2, result: { content: [{ text: 'slow' }] } })
    expect(await stream.next()).toBeUndefined()
    await closed
  })

  it('is off by default', async () => {
    const base = await serve(createServer().server, {}, '')
    const response = await fetch(`${base}/sse`, { headers: { accept: 'text/event-stream' } })
    expect([400, 404]).toContain(response.status)
  })
})
