import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@jetway/core'
import { type FetchHandler, toFetch } from '@jetway/core/http'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import { Hono } from 'hono'
import { z } from 'zod'
import { keepLog } from './handlers.ts'
import type { Mistake } from './mistake.ts'

const INFO = { name: 'mistakes', version: '1' }
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function createFetch(options: object = {}): FetchHandler {
  const server = new McpServer(INFO, { logger: keepLog().logger })
  server.addTool({ name: 'greet', inputSchema: z.object({ name: z.string() }), handler: ({ name }) => name })
  return toFetch(server, { allowedHosts: ['localhost'], ...options })
}

interface Sent extends RequestInit {
  readonly path?: string
  readonly host?: string
}

async function replyTo(
  { path = '/mcp', host = 'localhost', ...init }: Sent,
  options?: object,
): Promise<string> {
  await using handler = createFetch(options)
  const request = new Request(`http://${host}${path}`, {
    method: 'POST',
    headers: HEADERS,
    body: PING,
    ...init,
  })
  const response = await handler(request)
  return `${response.status} ${await response.text()}`
}

const replied = (
  rows: readonly (readonly [mistake: string, sent: Sent, says: RegExp, options?: object])[],
): readonly Mistake[] =>
  rows.map(([mistake, sent, says, options]) => ({
    group: 'a request',
    mistake,
    source: 'reply',
    read: () => replyTo(sent, options),
    says,
  }))

const modern = (method: string, params: object): Sent => ({
  headers: { ...HEADERS, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': 'greet' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
})

export const REQUESTS: readonly Mistake[] = [
  ...replied([
    ['without a session', {}, /400 .*No session: send an initialize request first/],
    [
      'with a session that has ended',
      { headers: { ...HEADERS, 'mcp-session-id': 'gone' } },
      /404 .*Session not found: send an initialize request/,
    ],
    [
      'that accepts JSON only',
      { headers: { ...HEADERS, accept: 'application/json' } },
      /406 .*Accept must allow/,
    ],
    [
      'without a content type',
      { headers: { accept: HEADERS.accept } },
      /415 .*Content-Type must be application\/json/,
    ],
    ['with invalid JSON', { body: '{"jsonrpc":' }, /400 .*The message is not valid JSON/],
    ['by another host name', { host: 'api.example.com' }, /403 .*see the allowedHosts and publicUrl options/],
    [
      'by a page of another origin',
      { headers: { ...HEADERS, origin: 'https://app.example.com' } },
      /403 .*see the allowedOrigins and publicUrl options/,
    ],
    ['without credentials', {}, /401 .*Authentication is required/, { authenticate: () => undefined }],
    [
      'to another path of toFetch',
      { path: '/' },
      /404 Not found\. The MCP endpoint is \/mcp/,
      { path: '/mcp' },
    ],
    [
      'of a tool with a wrong argument',
      modern('tools/call', { name: 'greet', arguments: { nme: 'Ada' } }),
      /Invalid arguments for the tool greet:\\nname: /,
    ],
    ['whose header names another tool', modern('tools/call', { name: 'other', arguments: {} }), /Mcp-Name/i],
  ]),
  {
    group: 'a request',
    mistake: 'to another path of node:http',
    source: 'reply',
    async read() {
      await using mount = nodeMcp({ server: new McpServer(INFO), logger: keepLog().logger })
      const listening = createServer(mount).listen(0, '127.0.0.1')
      await new Promise((resolve) => listening.once('listening', resolve))
      const { port } = listening.address() as AddressInfo
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: HEADERS,
        body: PING,
      })
      listening.close()
      return `${response.status} ${await response.text()}`
    },
    says: /404 Not found\. The MCP endpoint is \/mcp/,
  },
  ...['/', '/mcp/'].map((path): Mistake => ({
    group: 'a request',
    mistake: `to ${path}, which is not the path of a Hono app`,
    source: 'log',
    async read() {
      const { logger, text } = keepLog()
      await using mount = honoMcp({ server: new McpServer(INFO), logger })
      const app = new Hono().use(mount)
      await app.request(`http://localhost${path}`, { method: 'POST', headers: HEADERS, body: PING })
      return text()
    },
    says: "An MCP client has called / or /mcp/, where this mount does not answer. Set the client's URL to end in /mcp",
  })),
  {
    group: 'a request',
    mistake: 'whose body the app has read before',
    source: 'reply',
    async read() {
      await using handler = createFetch()
      const request = new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body: PING })
      await request.text()
      return (await handler(request)).text()
    },
    says: /turn the router's parser off for this route.*or read a clone of the request/,
  },
]
