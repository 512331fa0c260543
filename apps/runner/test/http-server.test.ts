import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { McpServer } from '@jetway/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveFastify } from '../src/serve-fastify.ts'
import { serveHono } from '../src/serve-hono.ts'

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
const HEAD = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Accept: */*']
const LENGTH = `Content-Length: ${BODY.length}`
const CHUNKS = 'Transfer-Encoding: chunked'

describe.each(Object.entries({ serveFastify, serveHono }))('%s', (_name, serve) => {
  /** Sends a request as raw bytes, and returns the whole reply. */
  async function send(headers: readonly string[], body = BODY): Promise<string> {
    const server = new McpServer({ name: 'raw', version: '1' })
    const { port, stop } = await serve(server, { host: '127.0.0.1', port: 0, response: 'auto' })
    onTestFinished(stop)
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.end(`${[...HEAD, ...headers].join('\r\n')}\r\n\r\n${body}`)
    return text(socket)
  }

  it('keeps idle connections open longer than most load balancers do', async () => {
    const reply = await send([LENGTH])
    expect(/^Keep-Alive: timeout=(\d+)\r$/im.exec(reply)?.[1]).toBe('72')
  })

  it.each([
    ['a length', 200, [LENGTH], BODY],
    ['chunks', 200, [CHUNKS], CHUNKED],
    ['a length and chunks', 400, [LENGTH, CHUNKS], CHUNKED],
    ['chunks and a length', 400, [CHUNKS, LENGTH], CHUNKED],
    ['two lengths', 400, [LENGTH, 'Content-Length: 5'], BODY],
    ['a header of 17 KiB', 431, [LENGTH, `X-Large: ${'x'.repeat(17 * 1024)}`], BODY],
  ])('responds to a request that has %s with status %i', async (_what, status, headers, body) => {
    expect(await send(headers, body)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })
})
