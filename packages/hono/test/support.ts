import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { McpServer } from '@jetway/core'
import { serve, type ServerType } from '@hono/node-server'
import type { Hono } from 'hono'
import { onTestFinished } from 'vitest'

/** A server whose tools show what reached them. */
export function createServer<Locals = unknown>(name = 'test'): McpServer<Locals> {
  const server = new McpServer<Locals>({ name, version: '1.0.0' })
  server.addTool({ name: 'name', handler: () => name })
  server.addTool({
    name: 'size',
    inputSchema: { type: 'object' },
    handler: (args) => JSON.stringify(args).length,
  })
  server.addTool({
    name: 'seen',
    handler: (_args, ctx) => ({ auth: ctx.auth?.principal, mount: ctx.locals }),
  })
  server.addTool({
    name: 'report',
    async handler(_args, ctx) {
      ctx.log.warning('on it')
      await ctx.progress(1, 1)
      return 'done'
    },
  })
  return server
}

export interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Listens on a free port of the loopback and closes with the test. */
export async function listen(app: Pick<Hono, 'fetch'>): Promise<{ url: string; server: ServerType }> {
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(async () => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

export const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-06-18',
} as const

export function call(tool: string, args: object = {}, meta?: object): string {
  const params = { name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
}

export function post(
  url: string,
  body: string | Uint8Array | ReadableStream = call('name'),
  headers: object = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body,
    duplex: 'half',
  } as RequestInit)
}

/** The text of a tool's answer. */
export async function text(response: Response): Promise<string | undefined> {
  const answer = (await response.json()) as { result?: { content: { text: string }[] } }
  return answer.result?.content[0]?.text
}

/** Sends bytes as they are, and gives the socket; it ends with the test. */
export async function raw(url: string, bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
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

export function head(path: string, headers: Record<string, string>, method = 'POST'): string {
  const lines = Object.entries({ host: '127.0.0.1', ...HEADERS, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}
