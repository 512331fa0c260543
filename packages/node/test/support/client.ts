import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { McpServer } from '@jetway/core'
import { onTestFinished } from 'vitest'
import { listen, type Listener } from './hosts.ts'

/** A server whose tools show what reached them. */
export function createServer<Locals = unknown>(): McpServer<Locals> {
  const server = new McpServer<Locals>({ name: 'test', version: '1.0.0' })
  server.addTool({
    name: 'echo',
    inputSchema: { type: 'object' },
    handler: (args: Record<string, unknown>) => String(args['text']),
  })
  server.addTool({
    name: 'seen',
    handler: (_args, { locals, auth }) => JSON.stringify({ locals, auth: auth?.principal }),
  })
  server.addTool({
    name: 'report',
    async handler(_args, ctx) {
      await ctx.progress(1, 2)
      return 'reported'
    },
  })
  return server
}

/** Serves until the end of the test; gives the origin. */
export async function serve(listener: Listener): Promise<string> {
  const { origin, release } = await listen(listener)
  onTestFinished(release)
  return origin
}

export const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-11-25',
} as const

export function callFrame(name: string, args: object = {}, id = 1): string {
  const params = { name, arguments: args, _meta: { progressToken: 'p' } }
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
}

export const post = (url: string, body: string, headers: object = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body })

/** Calls a tool without a session, and gives its text, or the status and the message of the error. */
export async function call(url: string, name: string, args: object = {}): Promise<string> {
  const response = await post(url, callFrame(name, args))
  const body = await response.text()
  if (!body.startsWith('{')) return String(response.status)
  const { result, error } = JSON.parse(body) as {
    result?: { content: readonly { text: string }[] }
    error?: { message: string }
  }
  return result?.content[0]?.text ?? `${response.status} ${error?.message}`
}

/** A connection on which bytes go as they are; it ends with the test. */
export async function raw(origin: string): Promise<Socket> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** The bytes of a POST. */
export function head(path: string, body: string, headers: Record<string, string> = {}): string {
  const all = { host: '127.0.0.1', ...HEADERS, 'content-length': `${Buffer.byteLength(body)}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Reads until the text has come. */
export async function until(socket: Socket, expected: string): Promise<string> {
  let received = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received += String(chunk)
    if (received.includes(expected)) return received
  }
  throw new Error(`The peer closed before ${expected}: ${received}`)
}
