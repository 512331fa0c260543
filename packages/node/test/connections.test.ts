import { once } from 'node:events'
import { createServer as createHttp, request, type ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Logger, McpServer } from '@jetway/core'
import compression from 'compression'
import express from 'express'
import { expect, it, onTestFinished, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import { callTool, deferred, MODERN, requestMeta, settled } from '@jetway-apps/test-support'
import {
  bytesOf,
  callFrame,
  createServer,
  firstChunk,
  HEADERS,
  post,
  raw,
  until,
} from '@jetway-apps/test-support/http'
import { call, serve } from './support/client.ts'

/** Creates a server with a tool that sends progress, then waits for its release or cancellation. */
function holding() {
  const server = new McpServer({ name: 'test', version: '1.0.0' })
  const seen = { calls: 0, cancelled: 0 }
  const { promise: released, resolve: release } = deferred()
  server.addTool({
    name: 'hold',
    async handler(_args, ctx) {
      seen.calls++
      ctx.signal.addEventListener('abort', () => seen.cancelled++)
      await ctx.progress(1)
      await released
      return 'released'
    },
  })
  return { server, release, seen }
}

/** Creates calls in revision 2026-07-28, in which a disconnect cancels the call. */
function pipelined(count: number, name = 'hold'): string {
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name }
  const meta = { progressToken: 'p', ...requestMeta() }
  const frame = (id: number): string => JSON.stringify(callTool(name, {}, { id, meta }))
  return Array.from({ length: count }, (_, at) => bytesOf('/mcp', frame(at + 1), headers)).join('')
}

it('a mount replies to pipelined calls in order, with one stream open at a time', async () => {
  const { server, release, seen } = holding()
  const responses: ServerResponse[] = []
  const mount = mcp({ server, stateless: true })
  const origin = await serve((req, res) => (responses.push(res), mount(req, res)))
  const socket = await raw(origin)
  socket.write(pipelined(3))
  await vi.waitFor(() => expect(seen.calls).toBe(3))
  await until(socket, 'notifications/progress')
  expect(responses.map(({ headersSent }) => headersSent)).toEqual([true, false, false])
  release()
  const received = await until(socket, '"id":3')
  expect(Array.from(received.matchAll(/"id":(\d)/g), ([, id]) => id)).toEqual(['1', '2', '3'])
})

it('a mount cancels pipelined calls when their connection closes', async () => {
  const { server, release, seen } = holding()
  const mount = mcp({ server, stateless: true })
  const warnings: Error[] = []
  const warn = (warning: Error): void => void warnings.push(warning)
  process.on('warning', warn)
  const origin = await serve(mount)
  const socket = await raw(origin)
  socket.write(pipelined(20))
  await vi.waitFor(() => expect(seen.calls).toBe(20))
  expect(mount.stats().openStreams).toBe(1)
  socket.destroy()
  await vi.waitFor(() => expect(seen.cancelled).toBe(20))
  expect(mount.stats()).toMatchObject({ openStreams: 0, callsInFlight: 0 })
  release()
  await mount.close()
  process.off('warning', warn)
  expect(warnings).toEqual([])
})

it('a mount cancels queued pipelined calls when their connection closes', async () => {
  const { server, release, seen } = holding()
  const { promise: answered, resolve: answer } = deferred()
  server.addTool({ name: 'first', handler: () => answered.then(() => 'done') })
  const socket = await raw(await serve(mcp({ server, stateless: true })))
  socket.write(pipelined(1, 'first') + pipelined(2))
  await vi.waitFor(() => expect(seen.calls).toBe(2))
  await settled()
  answer()
  await until(socket, 'notifications/progress')
  socket.destroy()
  await vi.waitFor(() => expect(seen.cancelled).toBe(2))
  release()
})

it('a mount leaves no listeners on a connection with pipelined calls', async () => {
  const sockets = new Set<Socket>()
  const mount = mcp({ server: createServer(), stateless: true })
  const origin = await serve((req, res) => (sockets.add(req.socket), mount(req, res)))
  const socket = await raw(origin)
  socket.write(bytesOf('/mcp', callFrame('report', {}, 1)))
  await until(socket, '0\r\n\r\n')
  const [served] = [...sockets] as [Socket]
  const before = served.listenerCount('close')
  socket.write(
    Array.from({ length: 5 }, (_, at) => bytesOf('/mcp', callFrame('report', {}, at + 2))).join(''),
  )
  await until(socket, '"id":6')
  await vi.waitFor(() => expect(served.listenerCount('close')).toBe(before))
})

it('a mount can serve requests on a Unix socket, which has no address', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'jetway-'))
  const path = join(folder, 'mcp.sock')
  const http = createHttp(mcp({ server: createServer(), stateless: true }))
  await once(http.listen(path), 'listening')
  onTestFinished(async () => {
    http.closeAllConnections()
    http.close()
    await rm(folder, { recursive: true })
  })
  const body = callFrame('echo', { text: 'x' })
  const sent = request({
    socketPath: path,
    path: '/mcp',
    method: 'POST',
    headers: { ...HEADERS, host: 'app' },
  })
  sent.end(body)
  const [response] = await once(sent, 'response')
  expect(await text(response)).toContain('"text":"x"')
})

it('a mount supports compression middleware: streams start immediately, and JSON is compressed', async () => {
  const { server, release } = holding()
  server.addTool({ name: 'large', handler: () => 'x'.repeat(5_000) })
  const app = express().use(compression())
  const url = `${await serve(app.use('/mcp', mcp({ server, stateless: true })))}/mcp`
  const stream = await post(url, callFrame('hold'))
  expect(await firstChunk(stream)).toContain('notifications/progress')
  release()
  const json = await post(url, callFrame('large'))
  expect(json.headers.get('content-encoding')).toBe('gzip')
  expect(await json.text()).toContain('xxx')
})

it('a mount flushes after each frame if middleware buffers chunks', async () => {
  const { server, release } = holding()
  const mount = mcp({ server, stateless: true })
  const origin = await serve((req, res) => {
    const held: string[] = []
    const write = res.write.bind(res) as (chunk: string) => boolean
    res.write = (chunk: string) => held.push(chunk) > 0
    Object.assign(res, { flush: () => held.splice(0).forEach((chunk) => write(chunk)) })
    mount(req, res)
  })
  const stream = await post(`${origin}/mcp`, callFrame('hold'))
  expect(await firstChunk(stream)).toContain('notifications/progress')
  release()
})

it.each(['json', 'sse'] as const)(
  'a mount discards and logs a reply (%s) if the host has already sent one',
  async (response) => {
    const warn = vi.fn<Logger['warn']>()
    const logger: Logger = { debug: () => {}, info: () => {}, warn, error: () => {} }
    const mount = mcp({ server: createServer(), response, logger })
    const origin = await serve((req, res) => {
      mount(req, res)
      res.writeHead(408).end('too late')
    })
    expect(await call(`${origin}/mcp`, 'echo')).toBe('408')
    await mount.close()
    expect(warn.mock.calls).toEqual([[{}, expect.stringMatching(/exclude the MCP path from it/)]])
  },
)
