import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '@jetway/core'
import express from 'express'
// @ts-expect-error The types are those of Express 5.
import express4 from 'express4'
import Koa from 'koa'
import { bodyParser } from '@koa/bodyparser'
import { describe, expect, it } from 'vitest'
import { mcp } from '../src/index.ts'
import { call, callFrame, createServer, HEADERS, post, serve } from './support/client.ts'
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

describe.each(PARSERS)('after %s', (_name, listener) => {
  it('takes the body, and requests without one', async () => {
    const origin = await serve(listener())
    expect(await call(`${origin}/mcp`, 'echo', { text: 'ä€😀' })).toBe('ä€😀')
    expect((await fetch(`${origin}/mcp`, { method: 'DELETE' })).status).toBe(405)
    expect((await post(`${origin}/mcp`, '', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

it.each(PARSERS.filter(([name]) => /raw|text/i.test(name)))(
  'holds the limit after %s',
  async (_name, listener) => {
    const url = `${await serve(listener())}/mcp`
    const large = callFrame('echo', { text: 'x'.repeat(2_000) })
    expect((await post(url, large)).status).toBe(413)
    expect((await chunked(url, large)).status).toBe(413)
  },
)

const chunked = (url: string, body: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: HEADERS,
    body: new Blob([body]).stream(),
    duplex: 'half',
  } as RequestInit)

it('leaves parsers behind it their requests', async () => {
  const app = express().use(mount).use(express.json())
  app.post('/other', (req, res) => void res.json(req.body))
  const origin = await serve(app)
  expect(await call(`${origin}/mcp`, 'echo', { text: 'x' })).toBe('x')
  expect(await (await post(`${origin}/other`, '{"a":1}')).json()).toEqual({ a: 1 })
})

it('logs how to mount it when the body was read and is gone', async () => {
  const errors: unknown[] = []
  const logger = {
    debug() {},
    info() {},
    warn() {},
    error: (entry: unknown) => void errors.push(entry),
  } as Logger
  const gone = mcp({ server, stateless: true, logger })
  const origin = await serve((req: IncomingMessage, res: ServerResponse) => {
    req.resume().once('end', () => gone(req, res))
  })
  expect(await call(`${origin}/mcp`, 'echo', { text: 'x' })).toBe('500 Internal error')
  expect(errors).toEqual([
    { err: expect.objectContaining({ message: expect.stringContaining('Mount MCP before middleware') }) },
  ])
})
