import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createEndpoint } from '../../src/http/endpoint.ts'
import type { EndpointOptions } from '../../src/http/options.ts'
import { duplicateHeader } from '../../src/http/guard/headers.ts'
import { BodyError, type HttpRequest } from '../../src/http/types.ts'
import { McpServer } from '../../src/index.ts'
import { initializeMessage } from './support/harness.ts'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new BodyError(413, 'too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function translate(request: IncomingMessage, response: ServerResponse): HttpRequest {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const { localAddress } = request.socket
  return {
    method: request.method ?? '',
    route: 'mcp',
    query: () => undefined,
    header: (name) => request.headersDistinct[name]?.[0],
    rawHeaders: request.rawHeaders,
    ...(localAddress === undefined ? {} : { peer: { localAddress } }),
    signal: gone.signal,
  }
}

async function mount(options: EndpointOptions = {}) {
  const server = new McpServer({ name: 'test', version: '1' })
  let runs = 0
  server.addTool({ name: 'run', handler: () => String(++runs) })
  server.use(async (_ctx, next) => {
    runs++
    return next()
  })
  const endpoint = createEndpoint(server, options)
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await endpoint.handle(translate(request, response), ({ bodyLimit }) =>
      readBody(request, bodyLimit),
    )
    response.writeHead(reply.status, reply.headers)
    if (reply.open === undefined) {
      response.end(reply.body)
      return
    }
    response.flushHeaders()
    reply.open({
      write: (chunk) =>
        response.write(chunk) ? undefined : new Promise((resolve) => response.once('drain', resolve)),
      close: () => void response.end(),
    })
  }
  const http = createServer((request, response) => void answer(request, response))
  open.push(http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let received = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (chunk) => (received += chunk.toString('latin1')))
      socket.on('close', () => resolve(received))
      socket.on('error', reject)
    })
  return { server, endpoint, port, runs: () => runs, raw }
}

const BODY = JSON.stringify(initializeMessage())
const head = (lines: readonly string[], body = BODY): string =>
  [
    'POST /mcp HTTP/1.1',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...lines,
    '',
    body,
  ].join('\r\n')
const FINE = ['Host: localhost', 'Content-Type: application/json', 'Accept: */*']
const statusOf = (text: string): number => Number(text.split(' ')[1])

describe('raw HTTP requests', () => {
  it('are served if they are valid', async () => {
    const { raw } = await mount()
    expect(statusOf(await raw(head(FINE)))).toBe(200)
  })

  it.each([
    ['Authorization: Bearer a', 'Authorization: Bearer b'],
    ['authorization: Bearer b', 'AUTHORIZATION: Bearer a'],
    ['Mcp-Session-Id: a', 'mcp-session-id: a'],
    ['MCP-Protocol-Version: 2025-06-18', 'Mcp-Protocol-Version: 2025-06-18'],
    ['Mcp-Method: initialize', 'Mcp-Method: tools/call'],
    ['Content-Type: text/plain'],
    ['Origin: http://localhost', 'Origin: http://evil.example'],
    ['Last-Event-ID: a.b.1', 'Last-Event-ID: a.b.2'],
  ])('are refused if a header is sent twice: %s, %s', async (...lines) => {
    const { raw, runs } = await mount()
    const text = await raw(head([...FINE, ...lines]))
    expect(statusOf(text)).toBe(400)
    expect(runs()).toBe(0)
  })

  it('are refused with two Host headers, in either order', async () => {
    const { raw } = await mount()
    const rest = FINE.slice(1)
    for (const hosts of [
      ['Host: localhost', 'Host: evil.example'],
      ['Host: evil.example', 'Host: localhost'],
    ]) {
      expect([400, 403]).toContain(statusOf(await raw(head([...hosts, ...rest]))))
    }
  })

  it('are refused before any handler runs if a page sends them after DNS rebinding', async () => {
    const { raw, runs } = await mount()
    const rest = FINE.slice(1)
    expect(statusOf(await raw(head(['Host: evil.example:3000', ...rest])))).toBe(403)
    expect(statusOf(await raw(head(['Host: evil.example', 'Origin: http://evil.example', ...rest])))).toBe(
      403,
    )
    expect(statusOf(await raw(head([...FINE, 'Origin: null'])))).toBe(403)
    expect(runs()).toBe(0)
  })

  it('are refused if their content type needs no cross-site preflight', async () => {
    const { raw, runs } = await mount()
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      expect(statusOf(await raw(head(['Host: localhost', `Content-Type: ${type}`])))).toBe(415)
    }
    expect(runs()).toBe(0)
  })

  it('are refused if their body is too large, without buffering the body', async () => {
    const { raw } = await mount({ limits: { bodyBytes: 1_000 } })
    expect(statusOf(await raw(head(FINE, 'x'.repeat(2_000))))).toBe(413)
  })
})

describe('a stream over a socket', () => {
  it('can be interrupted by the client and then resumed', async () => {
    const { server, port } = await mount()
    const url = `http://127.0.0.1:${port}/mcp`
    const post = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const first = await fetch(url, {
      method: 'POST',
      headers: post,
      body: JSON.stringify(initializeMessage('2025-11-25')),
    })
    await first.text()
    const headers = {
      accept: 'text/event-stream',
      'mcp-session-id': first.headers.get('mcp-session-id') ?? '',
    }
    const cut = new AbortController()
    const listening = await fetch(url, { headers, signal: cut.signal })
    const reader = listening.body?.pipeThrough(new TextDecoderStream()).getReader()
    const primer = (await reader?.read())?.value ?? ''
    const id = /^id: (.*)$/m.exec(primer)?.[1] ?? ''
    expect(id).toMatch(/\.0$/)
    cut.abort()
    server.addTool({ name: 'a', handler: () => '' })
    const again = await fetch(url, { headers: { ...headers, 'last-event-id': id } })
    const resumed = again.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await resumed?.read())?.value).toContain('notifications/tools/list_changed')
    await server.close()
    expect((await resumed?.read())?.done).toBe(true)
  })
})

describe('duplicateHeader', () => {
  it.each([
    [['Host', 'a', 'Accept', 'b', 'accept', 'c', 'Cookie', 'd', 'cookie', 'e'], undefined],
    [['Mcp-Anything', 'a', 'mcp-anything', 'b'], 'mcp-anything'],
    [['Mcp-A', 'a', 'Mcp-B', 'b'], undefined],
    [['Content-Type', 'a', 'X', 'b', 'content-type', 'c'], 'content-type'],
    [['Last-Event-ID', 'a', 'Mcp-Session-Id', 'b', 'last-event-id', 'c'], 'last-event-id'],
    [['Accept-Charset', 'a', 'Accept-Charset', 'b', 'Last-Modified', 'c', 'Last-Modified', 'd'], undefined],
    [['Connection', 'a', 'Connection', 'b', 'Method', 'm', 'Method', 'm'], undefined],
    [[], undefined],
  ])('given %j, returns %s', (raw, expected) => expect(duplicateHeader(raw)).toBe(expected))
})
