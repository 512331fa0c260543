import type { Server } from 'node:http'
import { toFetch, type WellKnown } from '@jetway/core/http'
import { nodeConnection } from '@jetway/node/connection'
import {
  createServer,
  firstChunk,
  listen as listenOn,
  openSession,
  post,
  text,
} from '@jetway-apps/test-support/http'
import { Hono } from 'hono'
import { createAdaptorServer } from 'hono-node-server-1'
import { cors } from 'hono/cors'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcp, resourceMetadata } from '../src/index.ts'

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch']

async function listen(fetch: Fetch): Promise<string> {
  const { origin, release } = await listenOn(createAdaptorServer({ fetch }) as Server)
  onTestFinished(release)
  return origin
}

const SERVED: readonly (readonly [string, (options: object) => Fetch])[] = [
  ['the middleware', (options) => new Hono().use(mcp({ server: createServer(), ...options })).fetch],
  [
    'the middleware behind another',
    (options) => new Hono().use(cors(), mcp({ server: createServer(), ...options })).fetch,
  ],
  ['toFetch', (options) => toFetch(createServer(), { path: '/mcp', connection: nodeConnection, ...options })],
]

const wellKnown: WellKnown = {
  paths: ['/.well-known/any'],
  elsewhere: false,
  answer: ({ path = '' }) =>
    path === '/.well-known/any' ? { status: 200, headers: {}, body: 'document' } : undefined,
}
const authenticate = Object.assign(() => ({ principal: 'ann' }), { wellKnown })

describe.each(SERVED)('version 1 of @hono/node-server with %s', (_name, serve) => {
  it('sends several JSON replies and refusals in a row', async () => {
    const origin = await listen(serve({ stateless: true, health: true, limits: { bodyBytes: 1_000 } }))
    for (let i = 0; i < 3; i++) {
      const reply = await post(`${origin}/mcp`)
      expect([reply.status, await text(reply)]).toEqual([200, 'test'])
      expect((await post(`${origin}/mcp`, 'x'.repeat(10 * (i + 1)))).status).toBe(400)
      expect((await post(`${origin}/mcp`, 'x'.repeat(2_000))).status).toBe(413)
      expect((await fetch(`${origin}/mcp`, { method: 'PUT' })).status).toBe(405)
      expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    }
  })

  it('sends event streams', async () => {
    const url = `${await listen(serve({ stateless: true, response: 'sse' }))}/mcp`
    const reply = await post(url)
    expect(reply.headers.get('content-type')).toBe('text/event-stream')
    expect(await reply.text()).toContain('"text":"test"')
  })

  it('serves sessions, including their GET stream and DELETE', async () => {
    const url = `${await listen(serve({}))}/mcp`
    const session = await openSession(url)
    const headers = { ...session, accept: 'text/event-stream' }
    const abort = new AbortController()
    const stream = await fetch(url, { headers, signal: abort.signal })
    expect(stream.status).toBe(200)
    expect(await firstChunk(stream)).toContain('id:')
    abort.abort()
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(204)
    expect((await post(url, undefined, session)).status).toBe(404)
  })

  it('serves the public metadata documents for authentication', async () => {
    const origin = await listen(serve({ stateless: true, authenticate }))
    for (let i = 0; i < 3; i++) {
      const reply = await fetch(`${origin}/.well-known/any`)
      expect([reply.status, await reply.text()]).toEqual([200, 'document'])
      expect(await text(await post(`${origin}/mcp`))).toBe('test')
    }
  })
})

it('version 1 of @hono/node-server serves the metadata documents of a route that uses resourceMetadata', async () => {
  const handler = mcp({ server: createServer(), stateless: true, authenticate, path: '/api/mcp' })
  const app = new Hono().use(resourceMetadata(authenticate)).all('/api/mcp', handler)
  const origin = await listen(app.fetch)
  expect(await (await fetch(`${origin}/.well-known/any`)).text()).toBe('document')
  expect(await text(await post(`${origin}/api/mcp`))).toBe('test')
})
