import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { McpServer } from '@jetway/core'
import { onTestFinished } from 'vitest'
import { deferred } from './deferred.ts'
import { callTool, initialize, INITIALIZED, REVISION } from './messages.ts'

/** Creates a server whose tools return their input and context. */
export function createServer<Locals = unknown>(name = 'test'): McpServer<Locals> {
  const server = new McpServer<Locals>({ name, version: '1.0.0' })
  const inputSchema = { type: 'object' } as const
  server.addTool({ name: 'name', handler: () => name })
  server.addTool({
    name: 'echo',
    inputSchema,
    handler: (args: Record<string, unknown>) => String(args['text']),
  })
  server.addTool({ name: 'size', inputSchema, handler: (args) => JSON.stringify(args).length })
  server.addTool({
    name: 'seen',
    handler: (_args, { locals, auth }) => JSON.stringify({ locals, auth: auth?.principal }),
  })
  server.addTool({
    name: 'report',
    async handler(_args, ctx) {
      ctx.log.warning('on it')
      await ctx.progress(1, 2)
      return 'reported'
    },
  })
  return server
}

/**
 * Creates a server with a tool `slow` that reports progress, and then waits for `finish` or for the end of the
 * test.
 */
export function slowServer(): { readonly server: McpServer; readonly finish: () => void } {
  const server = createServer()
  const { promise, resolve } = deferred()
  onTestFinished(() => resolve())
  server.addTool({
    name: 'slow',
    async handler(_args, ctx) {
      await ctx.progress(1, 2)
      await promise
      return 'x'.repeat(2_000)
    },
  })
  return { server, finish: resolve }
}

/** Returns the text that is received first, and cancels the rest. */
export async function firstChunk({ body }: Response): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  void reader.cancel()
  return new TextDecoder().decode(value)
}

export { freePort, listen, type Listening, originOf } from './listen.ts'

export const HEADERS: Readonly<Record<'accept' | 'content-type' | 'mcp-protocol-version', string>> = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': REVISION,
}

/** Returns a call with a progress token. */
export const callFrame = (name: string, args: object = {}, id = 1): string =>
  JSON.stringify(callTool(name, args, { id, meta: { progressToken: 'p' } }))

export const post = (
  url: string,
  body: string | Uint8Array | ReadableStream = callFrame('name'),
  headers: object = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body,
    duplex: 'half',
  } as RequestInit)

/** Opens a session. Returns the session header. */
export async function openSession(
  url: string,
  capabilities: object = {},
): Promise<{ readonly 'mcp-session-id': string }> {
  const opened = await post(url, JSON.stringify(initialize(REVISION, { capabilities })))
  await opened.text()
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await post(url, JSON.stringify(INITIALIZED), session)
  return session
}

/** Returns the text in a tool's result. */
export async function text(response: Response): Promise<string | undefined> {
  const answer = (await response.json()) as { result?: { content: { text: string }[] } }
  return answer.result?.content[0]?.text
}

/** Sends raw bytes. Returns the socket; it is destroyed after the test. */
export async function raw(url: string, bytes = ''): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

/** Returns the bytes of a request. The `content-length` in `headers` may exceed the body's length. */
export function bytesOf(
  path: string,
  body = '',
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
): string {
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
  const all = { host: '127.0.0.1', ...HEADERS, ...length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Reads until this text has arrived, and returns everything that has been received. */
export async function until(socket: Socket, expected: string): Promise<string> {
  let received = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received += String(chunk)
    if (received.includes(expected)) return received
  }
  throw new Error(`The peer closed before ${expected}: ${received}`)
}
