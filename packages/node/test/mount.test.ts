import { createServer as createHttp } from 'node:http'
import connect from 'connect'
import express, { type Request } from 'express'
// @ts-expect-error The types are those of Express 5.
import express4 from 'express4'
import Koa, { type Context } from 'koa'
import koaMount from 'koa-mount'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcp, type McpMountOptions } from '../src/index.ts'
import { type LogLines, logLines } from '@jetway-apps/test-support'
import { createServer, HEADERS, listen, openSession } from '@jetway-apps/test-support/http'
import { call, serve } from './support/client.ts'
import type { Listener } from './support/hosts.ts'

const server = createServer()
const mount = (options: Partial<McpMountOptions> = {}): ReturnType<typeof mcp> =>
  mcp({ server, stateless: true, ...options })

const answers = async (url: string): Promise<boolean> => (await call(url, 'echo', { text: 'x' })) === 'x'

describe("a mount's path", () => {
  it.each<[string, string, () => Listener]>([
    ['node:http', '/mcp', () => mount()],
    ['node:http, path', '/ai/tools', () => mount({ path: 'ai/tools' })],
    ['node:http, the root', '/', () => mount({ path: '/' })],
    ['Express 5', '/mcp', () => express().use(mount())],
    ['Express 5, at a path', '/ai', () => express().use('/ai', mount())],
    [
      'Express 5, a path that is the whole path',
      '/mcp',
      () => express().use('/mcp', mount({ path: '/mcp' })),
    ],
    [
      'Express 4, a path that is the whole path',
      '/ai',
      () => express4().use('/ai', mount({ path: 'ai' })) as Listener,
    ],
    ['Connect, a path that is the whole path', '/ai', () => connect().use('/ai', mount({ path: '/ai' }))],
    [
      'koa-mount, a path that is the whole path',
      '/ai',
      () => new Koa().use(koaMount('/ai', mount({ path: '/ai' }).koa)).callback(),
    ],
    ['Express 5, path below a path', '/api/ai', () => express().use('/api', mount({ path: '/ai' }))],
    ['Express 5, a router', '/api/mcp', () => express().use('/api', express.Router().use(mount()))],
    ['Express 5, a route', '/mcp', () => express().all('/mcp', mount())],
    ['Express 5, an app in an app', '/api/mcp', () => express().use('/api', express().use('/mcp', mount()))],
    ['Express 4, at a path', '/ai', () => express4().use('/ai', mount()) as Listener],
    [
      'Express 4, a router',
      '/api/mcp',
      () => express4().use('/api', express4.Router().use(mount())) as Listener,
    ],
    ['Connect, at a path', '/ai', () => connect().use('/ai', mount())],
    ['Koa', '/mcp', () => new Koa().use(mount().koa).callback()],
    ['koa-mount', '/ai', () => new Koa().use(koaMount('/ai', mount().koa)).callback()],
  ])('is derived from the registration: %s → %s', async (_host, path, listener) => {
    const origin = await serve(listener())
    expect(await answers(origin + path)).toBe(true)
    expect(await answers(`${origin}${path}?a=1`)).toBe(true)
    expect((await fetch(`${origin}/elsewhere`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${origin}${path === '/' ? '' : path}/below`, { method: 'POST' })).status).toBe(404)
  })

  it('is named in the 404 reply of node:http for other paths', async () => {
    const origin = await serve(mount({ path: '/ai' }))
    const response = await fetch(`${origin}/ai/`, { method: 'POST' })
    expect([response.status, await response.text()]).toEqual([404, 'Not found. The MCP endpoint is /ai\n'])
  })

  it.each<[string, (logger: LogLines) => Listener]>([
    ['node:http', (logger) => mount({ logger })],
    ['Express', (logger) => express().use(mount({ logger }))],
    ['Express, below a path', (logger) => express().use('/', mount({ logger, path: 'mcp' }))],
    ['Connect', (logger) => connect().use(mount({ logger }))],
    ['Koa', (logger) => new Koa().use(mount({ logger }).koa).callback()],
  ])(
    'is logged once if an MCP client requests / or the path with a trailing slash: %s',
    async (_host, listener) => {
      const logger = logLines()
      const origin = await serve(listener(logger))
      await fetch(origin, { headers: { accept: 'text/event-stream' } })
      await fetch(origin, { method: 'POST', body: '{}' })
      await fetch(`${origin}/elsewhere`, { method: 'POST', headers: HEADERS, body: '{}' })
      expect(logger.lines).toEqual([])
      for (const path of ['/mcp/', '/', '/mcp/'])
        expect((await fetch(origin + path, { method: 'POST', headers: HEADERS, body: '{}' })).status).toBe(
          404,
        )
      expect(logger.lines).toEqual([
        "warn: An MCP client has called / or /mcp/, where this mount does not answer. Set the client's URL to end in /mcp",
      ])
    },
  )

  it("does not capture requests to the app's root", async () => {
    const app = express().use(mount())
    app.get('/', (_req, res) => void res.send('home'))
    expect(await (await fetch(await serve(app))).text()).toBe('home')
  })

  it.each<[string, string, () => Listener]>([
    ['Express', '/api', () => express().use('/api', mcp({ server, legacySse: true, path: '/mcp' }))],
    ['Express, at a path', '/mcp', () => express().use('/mcp', mcp({ server, legacySse: true }))],
    ['Koa', '/api', () => new Koa().use(koaMount('/api', mcp({ server, legacySse: true }).koa)).callback()],
  ])('is also the prefix of the HTTP+SSE path /message on %s', async (_host, prefix, listener) => {
    const origin = await serve(listener())
    const { body } = await fetch(`${origin}${prefix}/sse`, { headers: { accept: 'text/event-stream' } })
    const reader = body?.getReader()
    onTestFinished(() => reader?.cancel())
    const first = new TextDecoder().decode((await reader?.read())?.value)
    const path = /^event: endpoint\ndata: (.+)\n/.exec(first)?.[1] ?? ''
    expect(path).toMatch(new RegExp(`^${prefix}/message\\?sessionId=`))
    const sent = await fetch(origin + path, {
      method: 'POST',
      headers: HEADERS,
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    expect(sent.status).toBe(202)
  })

  it("is also the prefix of the health probes' paths, which still respond after the mount has closed", async () => {
    const probed = mount({ health: true })
    const origin = await serve(express().use('/api', probed))
    const statuses = async (): Promise<number[]> =>
      [await fetch(`${origin}/api/livez`), await fetch(`${origin}/api/readyz`)].map(({ status }) => status)
    expect(await statuses()).toEqual([200, 200])
    await probed.close()
    expect(await statuses()).toEqual([200, 503])
  })
})

describe('the `locals`, `authInfo` and `server` functions', () => {
  interface Locals {
    readonly user: string
  }

  it('receive the request from Express', async () => {
    const app = express()
    app.use((req, res, next) => {
      res.locals['user'] = 'ada'
      Object.assign(req, { principal: 'p-ada' })
      next()
    })
    const options: McpMountOptions<Locals> = {
      server: createServer<Locals>(),
      stateless: true,
      locals: (req: Request): Locals => ({ user: String(req.res?.locals['user']) }),
      authInfo: (req: Request & { principal?: string }) => ({ principal: req.principal ?? '' }),
    }
    const origin = await serve(app.use('/mcp', mcp(options)))
    expect(await call(`${origin}/mcp`, 'seen')).toBe('{"locals":{"user":"ada"},"auth":"p-ada"}')
  })

  it('receive the context from Koa', async () => {
    const app = new Koa()
    app.use((ctx, next) => ((ctx.state['user'] = 'ada'), next()))
    const locals = (_req: unknown, ctx: Context): Locals => ({ user: String(ctx.state['user']) })
    app.use(mcp({ server: createServer<Locals>(), stateless: true, locals }).koa)
    expect(await call(`${await serve(app.callback())}/mcp`, 'seen')).toBe('{"locals":{"user":"ada"}}')
  })

  it('let `server` select an McpServer for each request', async () => {
    const select = (req: Request): typeof server | undefined =>
      req.url.includes('tenant=a') ? server : undefined
    const origin = await serve(mcp({ server: select, stateless: true }))
    expect(await call(`${origin}/mcp?tenant=a`, 'echo', { text: 'x' })).toBe('x')
    expect(await call(`${origin}/mcp`, 'echo')).toMatch(/^404 /)
  })
})

it("on Koa, the mount's promise resolves when the reply has ended", async () => {
  const order: string[] = []
  const app = new Koa()
  app.use(async (ctx, next) => {
    await next()
    order.push(`${ctx.res.statusCode} ${ctx.res.writableFinished}`)
  })
  app.use(mount().koa)
  const origin = await serve(app.callback())
  expect(await call(`${origin}/mcp`, 'echo', { text: 'x' })).toBe('x')
  await expect.poll(() => order).toEqual(['200 true'])
})

it("`close` ends the mount's streams, so that the HTTP server can close", async () => {
  const closing = mcp({ server: createServer() })
  const http = createHttp(closing)
  const url = `${(await listen(http)).origin}/mcp`
  const stream = await fetch(url, { headers: { accept: 'text/event-stream', ...(await openSession(url)) } })
  expect(closing.stats().sessions).toBe(1)
  await closing.close()
  await stream.text()
  await closing.closed
  await new Promise((resolve) => http.close(resolve))
})
