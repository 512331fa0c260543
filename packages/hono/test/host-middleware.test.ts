import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { etag } from 'hono/etag'
import { timeout } from 'hono/timeout'
import type { Logger } from '@jetway/core'
import { expect, it, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import { callFrame, firstChunk, openSession, post, slowServer } from '@jetway-apps/test-support/http'
import { listen } from './support.ts'

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const slow = (url: string): Promise<Response> => post(`${url}/mcp`, callFrame('slow'))

it.each([
  ['etag()', etag()],
  ['compress()', compress()],
  ['timeout()', timeout(60_000)],
])('%s forwards the events of a call immediately', async (_name, middleware) => {
  const { server, finish } = slowServer()
  const url = await listen(new Hono().use(middleware).use(mcp({ server, stateless: true })))
  const response = await slow(url)
  expect(await firstChunk(response)).toContain('notifications/progress')
  finish()
})

it('`etag()` forwards the events of a session immediately, and gives each stream a different tag', async () => {
  const { server } = slowServer()
  const url = await listen(new Hono().use(etag()).use(mcp({ server })))
  const headers = { accept: 'text/event-stream', ...(await openSession(`${url}/mcp`)) }
  const stream = await fetch(`${url}/mcp`, { headers })
  server.addTool({ name: 'new', handler: () => '' })
  expect(await firstChunk(stream)).toContain('data:')
  const again = await fetch(`${url}/mcp`, {
    headers: { ...headers, 'if-none-match': stream.headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(200)
})

it('`compress()` compresses JSON replies', async () => {
  const { server, finish } = slowServer()
  finish()
  const url = await listen(new Hono().use(compress()).use(mcp({ server, stateless: true, response: 'json' })))
  const response = await slow(url)
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(await response.text()).toContain('xxx')
})

it('a call cut off by timeout() is logged once, with a remedy', async () => {
  const { server, finish } = slowServer()
  const warn = vi.fn<Logger['warn']>()
  const app = new Hono()
    .use(timeout(10))
    .use(mcp({ server, stateless: true, response: 'json', logger: { ...silent, warn } }))
  const url = await listen(app)
  const responses = await Promise.all([slow(url), slow(url)])
  expect(responses.map(({ status }) => status)).toEqual([504, 504])
  finish()
  await vi.waitFor(() => expect(warn).toHaveBeenCalled())
  expect(warn.mock.calls).toEqual([[{}, expect.stringMatching(/exclude the MCP path from it/)]])
})
