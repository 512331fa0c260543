import { once } from 'node:events'
import { connect } from 'node:http2'
import type { Socket } from 'node:net'
import type { MountHandle } from '@jetway/core'
import { text as readAll } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import { deferred } from '@jetway-apps/test-support'
import {
  bytesOf,
  callFrame,
  createServer,
  HEADERS,
  openSession,
  post,
  raw,
  text,
  until,
} from '@jetway-apps/test-support/http'
import { listen, mounted } from './support.ts'

const server = createServer()
const STATELESS = { server, stateless: true } as const

describe("a mount's path", () => {
  it("is logged with the app's address when the app starts to listen", async () => {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) }
    const app = Fastify({ logger: { stream } })
    app.register(mcp, { ...STATELESS, prefix: '/api', path: 'ai' })
    const url = await listen(app)
    expect(lines).toContain(`The MCP endpoint is ${url}/api/ai`)
  })

  it.each<[string, string, (app: FastifyInstance) => unknown]>([
    ['no option', '/mcp', (app) => app.register(mcp, STATELESS)],
    ['path', '/ai/tools', (app) => app.register(mcp, { ...STATELESS, path: '/ai/tools' })],
    ['path without its slash', '/ai', (app) => app.register(mcp, { ...STATELESS, path: 'ai' })],
    ['path at the root', '/', (app) => app.register(mcp, { ...STATELESS, path: '/' })],
    [
      'prefix with path',
      '/api/mcp',
      (app) => app.register(mcp, { ...STATELESS, prefix: '/api', path: '/mcp' }),
    ],
    ['prefix instead of path', '/mcp', (app) => app.register(mcp, { ...STATELESS, prefix: '/mcp' })],
    ['prefix with path /', '/mcp', (app) => app.register(mcp, { ...STATELESS, prefix: '/mcp', path: '/' })],
    [
      'prefix with an empty path',
      '/mcp',
      (app) => app.register(mcp, { ...STATELESS, prefix: '/mcp', path: '' }),
    ],
    [
      'the prefix of the plugin around it',
      '/api/mcp',
      (app) => app.register(async (api) => void api.register(mcp, STATELESS), { prefix: '/api' }),
    ],
  ])('is derived from the registration: %s → %s', async (_form, path, register) => {
    const app = Fastify()
    register(app)
    const url = await listen(app)
    expect(await text(await post(url + path))).toBe('test')
    expect((await post(`${url}/elsewhere`)).status).toBe(404)
    expect((await post(`${url}/mcp/mcp`)).status).toBe(404)
  })

  it.each([
    [false, 404],
    [true, 200],
  ])(
    'follows the app’s ignoreTrailingSlash option: if %s, a trailing slash results in status %i',
    async (ignoreTrailingSlash, status) => {
      const app = Fastify({ routerOptions: { ignoreTrailingSlash } })
      const url = await mounted(STATELESS, app)
      expect((await post(`${url}/mcp/`)).status).toBe(status)
      expect((await post(`${url}/mcp`)).status).toBe(200)
    },
  )

  it('can differ between two mounts in one app', async () => {
    const url = await mounted([
      { ...STATELESS, server: createServer('one'), path: '/one' },
      { ...STATELESS, server: createServer('two'), path: '/two', limits: { bodyBytes: 200 } },
    ])
    expect(await text(await post(`${url}/one`))).toBe('one')
    expect(await text(await post(`${url}/two`))).toBe('two')
    const large = callFrame('size', { text: 'x'.repeat(300) })
    expect((await post(`${url}/one`, large)).status).toBe(200)
    expect((await post(`${url}/two`, large)).status).toBe(413)
  })

  it('can differ between two mounts of one server', async () => {
    const url = await mounted([
      { ...STATELESS, path: '/one' },
      { ...STATELESS, path: '/two' },
    ])
    expect(await text(await post(`${url}/one`))).toBe('test')
    expect(await text(await post(`${url}/two`))).toBe('test')
  })
})

describe("the app's other routes", () => {
  it('keep their body parsers, error handling and HEAD routes', async () => {
    const app = Fastify()
    app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) =>
      done(null, String(body).split(',')),
    )
    app.register(mcp, STATELESS)
    app.post('/echo', (request) => ({ body: request.body }))
    app.get('/page', () => 'page')
    const url = await listen(app)
    const send = (type: string, body: string): Promise<Response> =>
      fetch(`${url}/echo`, { method: 'POST', headers: { 'content-type': type }, body })
    expect(await (await send('application/json', '{"a":1}')).json()).toEqual({ body: { a: 1 } })
    expect(await (await send('text/csv', 'a,b')).json()).toEqual({ body: ['a', 'b'] })
    expect(await (await send('application/json', '{')).json()).toMatchObject({
      statusCode: 400,
      code: 'FST_ERR_CTP_INVALID_JSON_BODY',
    })
    expect((await send('application/xml', '<a/>')).status).toBe(415)
    expect((await fetch(`${url}/page`, { method: 'HEAD' })).status).toBe(200)
    expect(await (await fetch(`${url}/none`)).json()).toMatchObject({ statusCode: 404 })
  })
})

describe('a mount over HTTP/2', () => {
  it('serves calls and streams, checks :authority, and can be closed', async () => {
    const app = Fastify({ http2: true })
    onTestFinished(() => app.close())
    app.register(mcp, { ...STATELESS, path: '/json' })
    app.register(mcp, { ...STATELESS, path: '/sse', response: 'sse' })
    const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
    const send = async (path: string, headers: object = {}): Promise<string> => {
      const stream = session.request({ ':method': 'POST', ':path': path, ...HEADERS, ...headers })
      stream.end(callFrame('name'))
      const [answered] = (await once(stream, 'response')) as [{ ':status': number }]
      return `${answered[':status']} ${await readAll(stream)}`
    }
    expect(await send('/json')).toMatch(/^200 .*"text":"test"/)
    expect(await send('/sse')).toMatch(/^200 [^]*"text":"test"/)
    expect(await send('/json', { ':authority': 'evil.example' })).toMatch(/^403 /)
    session.close()
    await app.close()
  })
})

describe('closing the app or the mount', () => {
  it.each([
    ['read before the endpoint is called', {}],
    ['read when the endpoint requests the body', { authenticate: () => ({ principal: 'ada' }) }],
  ])('does not wait indefinitely for an incomplete body (%s)', async (_when, options) => {
    const app = Fastify({ forceCloseConnections: false, keepAliveTimeout: 60_000 })
    app.register(mcp, {
      server: createServer(),
      stateless: true,
      limits: { closeDeadlineMs: 50 },
      ...options,
    })
    const begun = deferred()
    app.addHook('preHandler', async () => begun.resolve())
    const url = await listen(app)
    const socket = await raw(url, `${bytesOf('/mcp', '', { 'content-length': '100' })}{"jsonrpc"`)
    await begun.promise
    const answered = until(socket, 'shutting down')
    await app.close()
    expect(await answered).toContain(' 503 ')
    await vi.waitFor(() => expect(socket.destroyed).toBe(true))
  })

  it.each([
    ['nothing', ''],
    ['half of the headers of a request', 'POST /mcp HTTP/1.1\r\nhost: 127'],
  ])('does not wait for a connection that has sent %s', async (_what, bytes) => {
    const app = Fastify({ keepAliveTimeout: 60_000 })
    const url = await mounted({ server: createServer() }, app)
    const connected = once(app.server, 'connection')
    const socket = await raw(url, bytes)
    const [accepted] = (await connected) as [Socket]
    await vi.waitFor(() => expect(accepted.bytesRead).toBe(bytes.length))
    await app.close()
    await vi.waitFor(() => expect(socket.destroyed).toBe(true))
  })

  it('closes pipelined streams together with their connection', async () => {
    const app = Fastify({ forceCloseConnections: false, keepAliveTimeout: 60_000 })
    app.register(mcp, { server: createServer() })
    const url = await listen(app)
    const sessions = [await openSession(`${url}/mcp`), await openSession(`${url}/mcp`)]
    const socket = await raw(url, sessions.map((session) => bytesOf('/mcp', '', session, 'GET')).join(''))
    await until(socket, 'id: ')
    socket.resume()
    await app.close()
    await vi.waitFor(() => expect(socket.destroyed).toBe(true))
  })

  it('makes the mount refuse new calls without waiting for their bodies', async () => {
    const app = Fastify()
    const mount = deferred<MountHandle>()
    const url = await mounted({ server: createServer(), stateless: true, onMount: mount.resolve }, app)
    await (await mount.promise).close()
    const socket = await raw(url, bytesOf('/mcp', '', { 'content-length': '100' }))
    expect(await until(socket, 'shutting down')).toContain(' 503 ')
  })
})
