import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { etag } from 'hono/etag'
import { timeout } from 'hono/timeout'
import type { Logger } from '@jetway/core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import { deferred } from '@jetway-apps/test-support'
import { callFrame, createServer, post } from '@jetway-apps/test-support/http'
import { listen } from './support.ts'

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A server whose tool `slow` sends progress and waits for the function that this returns. */
function slowServer() {
  const server = createServer()
  const { promise, resolve } = deferred()
  onTestFinished(() => resolve())
  server.addTool({
    name: 'slow',
    async handler(_args, ctx) {
      await ctx.progress(1, 2)
      await promise
      return 'x'.repeat(2000)
    },
  })
  return { server, finish: resolve }
}

const slow = (url: string): Promise<Response> => post(`${url}/mcp`, callFrame('slow'))

async function firstChunk({ body }: Response): Promise<string> {
  const { value } = await (body as ReadableStream<Uint8Array>).getReader().read()
  return new TextDecoder().decode(value)
}

it.each([
  ['etag()', etag()],
  ['compress()', compress()],
  ['timeout()', timeout(60_000)],
])('%s lets the events of a call pass at once', async (_name, middleware) => {
  const { server, finish } = slowServer()
  const { url } = await listen(new Hono().use(middleware).use(mcp({ server, stateless: true })))
  const response = await slow(url)
  expect(await firstChunk(response)).toContain('notifications/progress')
  finish()
})

it('etag() lets the events of a session pass at once, and each stream has its own tag', async () => {
  const { server } = slowServer()
  const { url } = await listen(new Hono().use(etag()).use(mcp({ server })))
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  }
  const opened = await post(
    `${url}/mcp`,
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  )
  const headers = {
    accept: 'text/event-stream',
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
  }
  await post(`${url}/mcp`, '{"jsonrpc":"2.0","method":"notifications/initialized"}', headers)
  const stream = await fetch(`${url}/mcp`, { headers })
  server.addTool({ name: 'new', handler: () => '' })
  expect(await firstChunk(stream)).toContain('data:')
  const again = await fetch(`${url}/mcp`, {
    headers: { ...headers, 'if-none-match': stream.headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(200)
})

it('compress() compresses JSON replies', async () => {
  const { server, finish } = slowServer()
  finish()
  const { url } = await listen(
    new Hono().use(compress()).use(mcp({ server, stateless: true, response: 'json' })),
  )
  const response = await slow(url)
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(await response.text()).toContain('xxx')
})

it('a timeout() that ends a call is logged once, with what to do', async () => {
  const { server, finish } = slowServer()
  const warn = vi.fn<Logger['warn']>()
  const app = new Hono()
    .use(timeout(10))
    .use(mcp({ server, stateless: true, response: 'json', logger: { ...silent, warn } }))
  const { url } = await listen(app)
  const responses = await Promise.all([slow(url), slow(url)])
  expect(responses.map(({ status }) => status)).toEqual([504, 504])
  finish()
  await vi.waitFor(() => expect(warn).toHaveBeenCalled())
  expect(warn.mock.calls).toEqual([[{}, expect.stringMatching(/exclude the MCP path from it/)]])
})
