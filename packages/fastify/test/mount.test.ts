import { once } from 'node:events'
import { connect } from 'node:http2'
import type { Socket } from 'node:net'
import type { AuthInfo, MountHandle } from '@jetway/core'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import {
  call,
  collect,
  createServer,
  deferred,
  head,
  HEADERS,
  listen,
  post,
  raw,
  text,
  until,
} from './support.ts'

const server = createServer()
const STATELESS = { server, stateless: true } as const

describe('where the server answers', () => {
  it.each<[string, string, (app: FastifyInstance) => unknown]>([
    ['/mcp by default', '/mcp', (app) => app.register(mcp, STATELESS)],
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
  ])('%s: %s', async (_form, path, register) => {
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
    'a trailing slash is as the app has it: ignoreTrailingSlash %s gives %i',
    async (ignoreTrailingSlash, status) => {
      const app = Fastify({ routerOptions: { ignoreTrailingSlash } })
      app.register(mcp, STATELESS)
      const url = await listen(app)
      expect((await post(`${url}/mcp/`)).status).toBe(status)
      expect((await post(`${url}/mcp`)).status).toBe(200)
    },
  )

  it('two mounts in one app answer for themselves', async () => {
    const app = Fastify()
    app.register(mcp, { ...STATELESS, server: createServer('one'), path: '/one' })
    app.register(mcp, { ...STATELESS, server: createServer('two'), path: '/two', limits: { bodyBytes: 200 } })
    const url = await listen(app)
    expect(await text(await post(`${url}/one`))).toBe('one')
    expect(await text(await post(`${url}/two`))).toBe('two')
    const large = call('size', { text: 'x'.repeat(300) })
    expect((await post(`${url}/one`, large)).status).toBe(200)
    expect((await post(`${url}/two`, large)).status).toBe(413)
  })

  it('one server has two mounts', async () => {
    const app = Fastify()
    app.register(mcp, { ...STATELESS, path: '/one' })
    app.register(mcp, { ...STATELESS, path: '/two' })
    const url = await listen(app)
    expect(await text(await post(`${url}/one`))).toBe('test')
    expect(await text(await post(`${url}/two`))).toBe('test')
  })
})

describe('methods', () => {
  it.each(['HEAD', 'PUT', 'PATCH'])('%s is answered 405 with what is allowed, not 404', async (method) => {
    const app = Fastify()
    app.register(mcp, { server })
    const response = await fetch(`${await listen(app)}/mcp`, { method, headers: HEADERS })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toContain('POST')
  })

  it('HEAD opens no stream', async () => {
    const app = Fastify()
    app.register(mcp, { server })
    const response = await fetch(`${await listen(app)}/mcp`, {
      method: 'HEAD',
      headers: { accept: 'text/event-stream' },
    })
    expect([response.status, await response.text()]).toEqual([405, ''])
  })

  it('OPTIONS has an answer of the endpoint without @fastify/cors', async () => {
    const app = Fastify()
    app.register(mcp, { server })
    const response = await fetch(`${await listen(app)}/mcp`, { method: 'OPTIONS' })
    expect(response.headers.get('allow')).toContain('POST')
  })
})

describe('the other routes of the app', () => {
  it('keep their body parsers, their errors and their HEAD', async () => {
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

describe('sessions', () => {
  it('run from initialize over calls and a stream to DELETE', async () => {
    const app = Fastify()
    app.register(mcp, { server })
    const url = `${await listen(app)}/mcp`
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    const opened = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    expect(await opened.json()).toMatchObject({ result: { serverInfo: { name: 'test' } } })
    expect((await post(url, '{"jsonrpc":"2.0","method":"notifications/initialized"}', session)).status).toBe(
      202,
    )
    expect(await text(await post(url, call('name'), session))).toBe('test')
    const stream = await fetch(url, { headers: { ...HEADERS, ...session, accept: 'text/event-stream' } })
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const streamed = await post(url, call('report', {}, { progressToken: 1 }), session)
    expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(await streamed.text()).toMatch(/notifications\/progress[^]*"text":"done"/)
    expect((await fetch(url, { method: 'DELETE', headers: { ...HEADERS, ...session } })).ok).toBe(true)
    await stream.text()
    expect((await post(url, call('name'), session)).status).toBe(404)
  })
})

describe('HTTP/2', () => {
  it('serves calls and streams, judges the authority, and closes', async () => {
    const app = Fastify({ http2: true })
    onTestFinished(() => app.close())
    app.register(mcp, { ...STATELESS, path: '/json' })
    app.register(mcp, { ...STATELESS, path: '/sse', response: 'sse' })
    const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
    const send = async (path: string, headers: object = {}): Promise<string> => {
      const stream = session.request({ ':method': 'POST', ':path': path, ...HEADERS, ...headers })
      stream.end(call('name'))
      const [answered] = (await once(stream, 'response')) as [{ ':status': number }]
      return `${answered[':status']} ${String(await collect(stream))}`
    }
    expect(await send('/json')).toMatch(/^200 .*"text":"test"/)
    expect(await send('/sse')).toMatch(/^200 [^]*"text":"test"/)
    expect(await send('/json', { ':authority': 'evil.example' })).toMatch(/^403 /)
    session.close()
    await app.close()
  })
})

describe('closing', () => {
  async function withStream() {
    const own = createServer()
    const app = Fastify({ keepAliveTimeout: 60_000 })
    app.register(mcp, { server: own })
    const url = `${await listen(app)}/mcp`
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    const opened = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    await opened.text()
    await post(url, '{"jsonrpc":"2.0","method":"notifications/initialized"}', session)
    const stream = await fetch(url, { headers: { ...HEADERS, ...session, accept: 'text/event-stream' } })
    return { app, server: own, ended: stream.text() }
  }

  it('the app ends open streams and does not wait for their peers', async () => {
    const { app, ended } = await withStream()
    const began = performance.now()
    await app.close()
    expect(performance.now() - began).toBeLessThan(30_000)
    await expect(ended).resolves.toEqual(expect.any(String))
  })

  it.each([
    ['read before the endpoint is asked', {}],
    ['read when the endpoint asks for it', { authenticate: () => ({ principal: 'ada' }) }],
  ])('the app does not wait for ever for a body that does not end, %s', async (_when, options) => {
    const app = Fastify({ forceCloseConnections: false, keepAliveTimeout: 60_000 })
    app.register(mcp, {
      server: createServer(),
      stateless: true,
      limits: { closeDeadlineMs: 50 },
      ...options,
    })
    const begun = deferred<void>()
    app.addHook('preHandler', async () => begun.resolve())
    const url = await listen(app)
    const socket = await raw(url, `${head('/mcp', { 'content-length': '100' })}{"jsonrpc"`)
    await begun.promise
    await app.close()
    await vi.waitFor(() => expect(socket.destroyed).toBe(true))
  })

  it.each([
    ['nothing', ''],
    ['half of the headers of a request', 'POST /mcp HTTP/1.1\r\nhost: 127'],
  ])('the app does not wait for a connection that has sent %s', async (_what, bytes) => {
    const app = Fastify({ keepAliveTimeout: 60_000 })
    app.register(mcp, { server: createServer() })
    const url = await listen(app)
    const connected = once(app.server, 'connection')
    const socket = await raw(url, bytes)
    const [accepted] = (await connected) as [Socket]
    await vi.waitFor(() => expect(accepted.bytesRead).toBe(bytes.length))
    await app.close()
    await vi.waitFor(() => expect(socket.destroyed).toBe(true))
  })

  it('the mount refuses a call without waiting for its body', async () => {
    const app = Fastify()
    const mount = deferred<MountHandle>()
    app.register(mcp, { server: createServer(), stateless: true, onMount: mount.resolve })
    const url = await listen(app)
    await (await mount.promise).close()
    const socket = await raw(url, head('/mcp', { 'content-length': '100' }))
    expect(await until(socket, 'shutting down')).toContain(' 503 ')
  })

  it('the server ends open streams of the app, which goes on', async () => {
    const { app, server: own, ended } = await withStream()
    await own.close({ deadline: 100 })
    await ended
    expect((await app.inject({ url: '/none' })).statusCode).toBe(404)
  })
})

it('answers without the body what needs none', async () => {
  const app = Fastify()
  app.register(mcp, { server: createServer() })
  const url = await listen(app)
  const session = { 'mcp-session-id': 'none', 'content-length': '100' }
  const socket = await raw(url, head('/mcp', session, 'DELETE'))
  expect(await until(socket, 'not found')).toContain(' 404 ')
})

it('asks before it reads a body whether what the app has found of the caller has expired', async () => {
  const app = Fastify()
  const auth = (): AuthInfo => ({ principal: 'ada', expiresAt: 1 })
  app.register(mcp, { server: createServer(), stateless: true, authInfo: auth })
  const socket = await raw(await listen(app), head('/mcp', { 'content-length': '100' }))
  expect(await until(socket, '{')).toContain(' 401 ')
})
