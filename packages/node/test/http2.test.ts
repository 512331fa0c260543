import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect,
  createServer as createHttp2,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { McpServer } from '@jetway/core'
import type { HttpRequest } from '@jetway/core/http'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { mcp, type McpMountOptions } from '../src/index.ts'
import { callFrame, createServer, HEADERS } from '@jetway-apps/test-support/http'

let client: ClientHttp2Session

async function serve(options: McpMountOptions): Promise<void> {
  const http = createHttp2(mcp(options))
  await once(http.listen(0, '127.0.0.1'), 'listening')
  client = connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.destroy()
    http.close()
  })
}

type Head = IncomingHttpHeaders & IncomingHttpStatusHeader

async function send(body: string, headers: object = {}): Promise<{ head: Head; body: string }> {
  const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...HEADERS, ...headers })
  if (!stream.writableEnded) stream.end(body)
  const [head] = (await once(stream, 'response')) as [Head]
  return { head, body: await text(stream) }
}

const seen: HttpRequest[] = []
beforeEach(() => void seen.splice(0))
const options: McpMountOptions = {
  server: createServer(),
  stateless: true,
  authenticate: (request) => (seen.push(request), { principal: 'ada' }),
}

it('HTTP/2 replies can be JSON or streams', async () => {
  await serve(options)
  const { head, body } = await send(callFrame('echo', { text: 'ä€😀' }))
  expect([head[':status'], head['content-type']]).toEqual([200, 'application/json'])
  expect(body).toContain('"text":"ä€😀"')
  const stream = await send(callFrame('report'))
  expect(stream.head['content-type']).toBe('text/event-stream')
  expect(stream.body).toMatch(/notifications\/progress[\s\S]*reported/)
  expect(seen.map(({ signal }) => signal.aborted)).toEqual([false, false])
})

it('HTTP/2 requests to a loopback socket are refused if :authority names a foreign host', async () => {
  await serve(options)
  await send(callFrame('echo'))
  expect(seen[0]?.header('host')).toMatch(/^127\.0\.0\.1:\d+$/)
  expect((await send(callFrame('echo'), { ':authority': 'rebound.example.com' })).head[':status']).toBe(403)
})

it('HTTP/2 replies to HEAD (405) and to other paths (404) have no body', async () => {
  await serve({ server: createServer() })
  expect(await send('', { ':method': 'HEAD' })).toMatchObject({ head: { ':status': 405 }, body: '' })
  expect((await send('', { ':path': '/other' })).head[':status']).toBe(404)
})

it('HTTP/2 request bodies are read up to the limit', async () => {
  await serve({ ...options, limits: { bodyBytes: 1_000 } })
  expect((await send(callFrame('echo', { text: 'x' }))).head[':status']).toBe(200)
  expect((await send(callFrame('echo', { text: 'x'.repeat(1_000) }))).head[':status']).toBe(413)
})

it("resetting an HTTP/2 stream aborts the request's signal and releases the writer", async () => {
  const server = new McpServer({ name: 'test', version: '1.0.0' })
  let written = 0
  server.addTool({
    name: 'flood',
    async handler(_args, ctx) {
      while (written < 256) await ctx.progress(++written, 256, 'x'.repeat(65_536))
      return 'flooded'
    },
  })
  await serve({ ...options, server })
  const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...HEADERS })
  stream.on('error', () => {}).end(callFrame('flood'))
  await once(stream, 'response')
  const { signal } = seen[0] as HttpRequest
  await expect.poll(() => written).toBeGreaterThan(1)
  expect(written).toBeLessThan(256)
  expect(signal.aborted).toBe(false)
  stream.destroy()
  await expect.poll(() => signal.aborted).toBe(true)
  await expect.poll(() => written).toBe(256)
})
