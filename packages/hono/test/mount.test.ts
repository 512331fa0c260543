import type { WellKnown } from '@jetway/core/http'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { logLines, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { mcp } from '../src/index.ts'
import { bytesOf, callFrame, createServer, post, raw, text, until } from '@jetway-apps/test-support/http'
import { listen, mounted } from './support.ts'

const server = createServer()
const STATELESS = { server, stateless: true } as const
const STREAMED = { ...STATELESS, response: 'sse' } as const

describe("a mount's path", () => {
  it.each<[string, string, (app: Hono) => unknown]>([
    ['no option', '/mcp', (app) => app.use(mcp(STATELESS))],
    ['path', '/ai/tools', (app) => app.use(mcp({ ...STATELESS, path: '/ai/tools' }))],
    ['path without its slash', '/ai', (app) => app.use(mcp({ ...STATELESS, path: 'ai' }))],
    ['the root as path', '/', (app) => app.use(mcp({ ...STATELESS, path: '/' }))],
    ['a base path', '/api/mcp', (app) => app.basePath('/api').use(mcp(STATELESS))],
    [
      'a base path as the whole path',
      '/ai',
      (app) => app.basePath('/ai').use(mcp({ ...STATELESS, path: '/' })),
    ],
    ['an app inside another', '/x/mcp', (app) => app.route('/x', new Hono().use(mcp(STATELESS)))],
    [
      'base paths within base paths',
      '/a/b/mcp',
      (app) => app.basePath('/a').route('/b', new Hono().use(mcp(STATELESS))),
    ],
    [
      'a base path with a parameter',
      '/t/42/mcp',
      (app) => app.route('/t/:tenant', new Hono().use(mcp(STATELESS))),
    ],
    ['use with a pattern', '/mcp', (app) => app.use('/mcp/*', mcp(STATELESS))],
    ['the path of its route', '/ai', (app) => app.all('/ai', mcp(STATELESS))],
    [
      'the path of its route below a base path',
      '/api/ai',
      (app) => app.basePath('/api').use('/ai', mcp(STATELESS)),
    ],
  ])('is derived from the registration: %s → %s', async (_form, path, use) => {
    const app = new Hono()
    use(app)
    const url = await listen(app)
    expect(await text(await post(url + path))).toBe('test')
    expect((await post(`${url}/elsewhere`)).status).toBe(404)
    expect((await post(`${url}${path}/mcp`)).status).toBe(404)
    expect((await post(`${url}/x${path}`)).status).toBe(404)
  })

  it.each<[string, (app: Hono) => unknown]>([
    ['route handler', (app) => app.post('/ai', mcp({ ...STATELESS, path: '/mcp' }))],
    ['middleware of one path', (app) => app.use('/ai', mcp({ ...STATELESS, path: '/mcp' }))],
    ['route below a base path', (app) => app.basePath('/ai').post('/', mcp({ ...STATELESS, path: '/mcp' }))],
  ])('is rejected at the first request if it lies outside the path of its %s', async (_form, use) => {
    const app = new Hono()
    use(app)
    const errors: Error[] = []
    app.onError((error, c) => {
      errors.push(error)
      return c.text('refused', 500)
    })
    const url = await listen(app)
    expect((await post(`${url}/ai`)).status).toBe(500)
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^mcp\(\{ path: "\/mcp" \}\) never answers at the route \/ai: omit path there.*ERR_MCP_OPTION/,
      ),
    ])
  })

  it('can be set on a mount that handles several routes', async () => {
    const app = new Hono()
    const mount = mcp({ ...STATELESS, path: '/mcp', health: true })
    app.all('/mcp', mount)
    app.get('/livez', mount)
    const url = await listen(app)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    expect(await text(await post(`${url}/mcp`))).toBe('test')
  })

  it('cannot be set with app.route, which requires an app', () => {
    const add = (): unknown => new Hono().route('/mcp', mcp(STATELESS) as unknown as Hono)
    expect(add).toThrow(
      /app\.route takes a Hono app.*use app\.all\(path, mcp\(\{ server \}\)\).*ERR_MCP_OPTION/,
    )
  })

  it.each([
    [true, 404],
    [false, 200],
  ])(
    'follows the app’s `strict` option: if %s, a trailing slash results in status %i',
    async (strict, status) => {
      const app = new Hono({ strict })
      const url = await mounted({ ...STATELESS, logger: silent }, app)
      expect((await post(`${url}/mcp/`)).status).toBe(status)
      expect((await post(`${url}/mcp`)).status).toBe(200)
    },
  )

  it('is logged once if an MCP client requests / or the path with a trailing slash, but not for other requests', async () => {
    const logger = logLines()
    const app = new Hono().basePath('/api').use(mcp({ ...STATELESS, logger }))
    const url = await listen(new Hono().use(mcp({ ...STATELESS, path: '/ai', logger })).route('/', app))
    await post(`${url}/other`)
    await fetch(url, { headers: { accept: 'text/event-stream' } })
    await fetch(url, { method: 'POST', body: '{}' })
    expect(logger.lines).toEqual([])
    for (const path of ['/', '/ai/', '/api/mcp/', '/ai/']) await post(url + path)
    expect(logger.lines).toEqual(
      ['/ai', '/mcp'].map(
        (path) =>
          `warn: An MCP client has called / or ${path}/, where this mount does not answer. Set the client's URL to end in ${path}`,
      ),
    )
  })

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

  it('leaves requests to all other paths to the app, with their bodies unread', async () => {
    const app = new Hono()
    app.use(mcp(STATELESS))
    app.post('/echo', async (c) => c.json(await c.req.json()))
    app.get('/page', (c) => c.text('page'))
    app.notFound((c) => c.text('mine', 404))
    const url = await listen(app)
    expect(await (await post(`${url}/echo`, '{"a":1}')).json()).toEqual({ a: 1 })
    expect((await fetch(`${url}/page`, { method: 'HEAD' })).status).toBe(200)
    expect(await (await fetch(`${url}/mcp/none`)).text()).toBe('mine')
  })
})

describe("the app's middleware", () => {
  const ORIGIN = 'https://app.example.com'

  it.each([
    ['JSON replies', STATELESS],
    ['streams', STREAMED],
  ])('can set headers on %s before and after the mount runs', async (_kind, options) => {
    const app = new Hono()
    const order: string[] = []
    app.use(cors({ origin: ORIGIN, exposeHeaders: ['mcp-session-id'] }), requestId())
    app.use(async (c, next) => {
      order.push('before')
      c.header('x-before', 'yes')
      c.header('set-cookie', 'a=1', { append: true })
      c.header('set-cookie', 'b=2', { append: true })
      await next()
      c.header('x-after', 'yes')
      order.push('after')
    })
    const url = await mounted({ ...options, allowedOrigins: [ORIGIN] }, app)
    const response = await post(`${url}/mcp`, callFrame('name'), { origin: ORIGIN, 'x-request-id': 'r-1' })
    expect(await response.text()).toContain('"text":"test"')
    expect([...response.headers]).toEqual(
      expect.arrayContaining([
        ['access-control-allow-origin', ORIGIN],
        ['access-control-expose-headers', 'mcp-session-id'],
        ['x-request-id', 'r-1'],
        ['x-before', 'yes'],
        ['x-after', 'yes'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ]),
    )
    expect(order).toEqual(['before', 'after'])
  })

  it('handles CORS preflights', async () => {
    const app = new Hono()
    app.use(cors({ origin: ORIGIN, allowMethods: ['GET', 'POST', 'DELETE'] }))
    app.use(mcp({ server, allowedOrigins: [ORIGIN] }))
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' }
    const response = await fetch(`${await listen(app)}/mcp`, { method: 'OPTIONS', headers })
    expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET,POST,DELETE',
    ])
  })

  it("can replace the mount's reply", async () => {
    const app = new Hono()
    app.use(async (c, next) => {
      await next()
      c.res = new Response((await c.res.text()).replace('test', 'changed'), c.res)
    })
    expect(await text(await post(`${await mounted(STATELESS, app)}/mcp`))).toBe('changed')
  })

  it('authenticates callers for ctx.auth, while `locals` sets ctx.locals', async () => {
    const app = new Hono<{ Variables: { user: string } }>()
    app.use(async (c, next) => {
      if (c.req.header('authorization') !== 'Bearer good') return c.text('mine', 401)
      c.set('user', 'ada')
      return next()
    })
    app.use(
      mcp({
        ...STATELESS,
        authInfo: (c) => ({ principal: c.get('user') }),
        locals: (c) => ({ path: c.req.path }),
      }),
    )
    const url = await listen(app)
    const seen = await text(await post(`${url}/mcp`, callFrame('seen'), { authorization: 'Bearer good' }))
    expect(JSON.parse(seen ?? '')).toEqual({ auth: 'ada', locals: { path: '/mcp' } })
    expect(
      await until(await raw(url, bytesOf('/mcp', '', { 'content-length': '1000000' })), 'mine'),
    ).toContain(' 401 ')
  })
})

describe('request bodies', () => {
  it('can be read by both the `locals` option and the server', async () => {
    const texts: Promise<string>[] = []
    const url = await mounted({ ...STATELESS, locals: (c) => texts.push(c.req.text()) })
    expect(await text(await post(`${url}/mcp`))).toBe('test')
    expect(await Promise.all(texts)).toEqual([callFrame('name')])
  })

  it('can be read by the server, and also by middleware that clones the request', async () => {
    const app = new Hono()
    const copies: Promise<string>[] = []
    app.use((c, next) => {
      copies.push(c.req.raw.clone().text())
      return next()
    })
    const url = await mounted(STATELESS, app)
    const body = callFrame('size', { text: 'x'.repeat(1_000_000) })
    for (const form of [
      body,
      new Blob([body]).stream(),
      callFrame('name'),
      new Blob([callFrame('name')]).stream(),
    ]) {
      expect((await post(`${url}/mcp`, form)).status).toBe(200)
    }
    expect((await Promise.all(copies)).map((copy) => copy.length)).toEqual([
      body.length,
      body.length,
      callFrame('name').length,
      callFrame('name').length,
    ])
  })
})

it('a public document uses the host of the URL if there is no Host header', async () => {
  const wellKnown: WellKnown = {
    paths: [],
    elsewhere: false,
    answer: ({ path = '', header }) => ({
      status: 200,
      headers: {},
      body: [path, header('host'), header('x-one')].join(' '),
    }),
  }
  const app = new Hono().use(
    mcp({ ...STATELESS, authenticate: Object.assign(() => undefined, { wellKnown }) }),
  )
  const ask = async (headers: Record<string, string>): Promise<string> =>
    (await app.request('http://mcp.example/.well-known/any', { headers })).text()
  expect(await ask({ 'x-one': '1' })).toBe('/.well-known/any mcp.example 1')
  expect(await ask({ host: 'other.example' })).toBe('/.well-known/any other.example ')
})

it('the `closed` promise resolves when the mount has closed', async () => {
  const mount = mcp({ ...STATELESS, server: createServer() })
  await mount.close({ deadline: 100 })
  await mount.closed
})

describe('TypeScript types', () => {
  it('require the declared type of ctx.locals, and reject unknown options', () => {
    const typed = createServer<{ user: string }>()
    expect(mcp({ server: typed, locals: (c) => ({ user: c.req.path }) })).toBeTypeOf('function')
    // @ts-expect-error The option locals is missing.
    expect(mcp({ server: typed })).toBeTypeOf('function')
    // @ts-expect-error The option locals has another type.
    expect(mcp({ server: typed, locals: (c) => ({ id: c.req.path }) })).toBeTypeOf('function')
    // @ts-expect-error This option does not exist.
    expect(() => mcp({ server, pth: '/x' })).toThrow('Did you mean path?')
  })
})
