import express, { type RequestHandler } from 'express'
// @ts-expect-error The types are those of Express 5.
import express4 from 'express4'
import Koa from 'koa'
import { bodyParser } from '@koa/bodyparser'
import { describe, expect, it } from 'vitest'
import { mcp, type McpMount } from '../src/index.ts'
import { callFrame, createServer, post } from '@jetway-apps/test-support/http'
import { call, serve } from './support/client.ts'
import type { Listener } from './support/hosts.ts'

const server = createServer()
const mount = mcp({ server, stateless: true, limits: { bodyBytes: 2_000 } })

const type = 'application/json'
const rawBody = (req: object, _res: unknown, bytes: Uint8Array): void =>
  void Object.assign(req, { rawBody: bytes })

const PARSERS: readonly [string, () => Listener][] = [
  ['express.json() of 5', () => express().use(express.json()).use(mount)],
  ['express.json() of 4', () => express4().use(express4.json()).use(mount) as Listener],
  [
    'express.json() that keeps rawBody',
    () =>
      express()
        .use(express.json({ verify: rawBody }))
        .use(mount),
  ],
  ['express.raw()', () => express().use(express.raw({ type })).use(mount)],
  ['express.text()', () => express().use(express.text({ type })).use(mount)],
  ['@koa/bodyparser', () => new Koa().use(bodyParser()).use(mount.koa).callback()],
]

describe.each(PARSERS)('a mount used after %s', (_name, listener) => {
  it('uses the parsed body, and still serves requests without a body', async () => {
    const origin = await serve(listener())
    expect(await call(`${origin}/mcp`, 'echo', { text: 'ä€😀' })).toBe('ä€😀')
    expect((await fetch(`${origin}/mcp`, { method: 'DELETE' })).status).toBe(405)
    expect((await post(`${origin}/mcp`, '', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

it.each(PARSERS.filter(([name]) => /raw|text/i.test(name)))(
  '`limits.bodyBytes` also applies after %s',
  async (_name, listener) => {
    const url = `${await serve(listener())}/mcp`
    const large = callFrame('echo', { text: 'x'.repeat(2_000) })
    expect((await post(url, large)).status).toBe(413)
    expect((await post(url, new Blob([large]).stream())).status).toBe(413)
  },
)

it('body parsers after the mount still receive the bodies of other requests', async () => {
  const app = express().use(mount).use(express.json())
  app.post('/other', (req, res) => void res.json(req.body))
  const origin = await serve(app)
  expect(await call(`${origin}/mcp`, 'echo', { text: 'x' })).toBe('x')
  expect(await (await post(`${origin}/other`, '{"a":1}')).json()).toEqual({ a: 1 })
})

/** Middleware that reads a body and discards it. */
const reader = (name: string): RequestHandler =>
  Object.defineProperty(
    ((req, _res, next) => void req.resume().once('end', () => next())) satisfies RequestHandler,
    'name',
    { value: name },
  )

const koaReader = async (ctx: Koa.Context, next: Koa.Next): Promise<void> => {
  await new Promise((resolve) => ctx.req.resume().once('end', resolve))
  await next()
}

const forgets: RequestHandler = (req, _res, next) => {
  req.body = undefined
  next()
}

const LOST: readonly [string, reader: string, (gone: McpMount) => Listener][] = [
  [
    'Express 5',
    'the middleware multerMiddleware',
    (gone) => express().use(reader('multerMiddleware')).use(gone),
  ],
  [
    'Express 4',
    'the middleware jsonParser',
    (gone) => express4().use(express4.json()).use(forgets).use(gone) as Listener,
  ],
  [
    'Koa',
    'the middleware bodyReader',
    (gone) =>
      new Koa()
        .use(Object.defineProperty(koaReader, 'name', { value: 'bodyReader' }))
        .use(gone.koa)
        .callback(),
  ],
  [
    'node:http',
    'a body parser or another middleware',
    (gone) => (req, res) => void req.resume().once('end', () => gone(req, res)),
  ],
  [
    'node:http after body-parser',
    'body-parser, such as express.json()',
    (gone) => (req, res) =>
      void req.resume().once('end', () => gone(Object.assign(req, { _body: true }), res)),
  ],
]

it.each(LOST)(
  'the error for a consumed body names the middleware that consumed it: %s',
  async (_host, by, app) => {
    const logged: unknown[] = []
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (...entry: unknown[]) => void logged.push(entry),
    }
    const url = `${await serve(app(mcp({ server, stateless: true, logger })))}/mcp`
    const message = `The body of the request was read by ${by} before MCP could read it. Mount MCP before it, or let it set request.body.`
    for (let again = 0; again < 2; again++) {
      const reply = await post(url, callFrame('echo', { text: 'x' }))
      expect(reply.status).toBe(400)
      expect(await reply.json()).toMatchObject({ error: { code: -32700, message } })
    }
    // This problem affects every request of the app, so it is logged only once.
    expect(logged).toEqual([[{}, message]])
  },
)
