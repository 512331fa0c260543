import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import { serveStdio } from '@jetway/stdio'
import Fastify from 'fastify'
import { z } from 'zod'
import { sourceFrames } from './coverage.ts'

/** A kind of request that is measured. */
export interface Flow {
  readonly name: string
  /** How often the request runs before it is measured, so that caches are filled and schemas compiled. */
  readonly warmUp: number
  /** Runs the request once. Resolves when everything that it causes on the server has ended. */
  readonly run: (id: number) => Promise<void>
  /** Returns the number of source frames below the handler in the last call, or 0 if no handler ran. */
  readonly frames: () => number
}

const CLIENT = { capabilities: {}, clientInfo: { name: 'client', version: '1.0.0' } }
const CALL = { method: 'tools/call', params: { name: 'sum', arguments: { a: 1, b: 2 } } }
/** In revisions without structured content, the text contains the value. */
const RESULT = /\\?"sum\\?":3/
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const MODERN = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'sum' }

const initialize = (protocolVersion: string): object => ({
  id: 'initialize',
  method: 'initialize',
  params: { protocolVersion, ...CLIENT },
})
const INITIALIZED = { method: 'notifications/initialized' }

/**
 * Waits for the work that the server does after its reply. This work uses no timers, so a few turns of the
 * event loop are sufficient.
 */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn()
}

function expectResult(text: string): void {
  if (!RESULT.test(text)) throw new Error(`The call did not return its result: ${text}`)
}

/**
 * Serves one tool over Fastify and stdio in this process. The resources for a flow are opened only when the
 * flow is requested, because an open HTTP+SSE stream would change how the other flows run.
 */
export async function* openFlows(): AsyncGenerator<Flow, undefined> {
  let frames = 0
  const server = new McpServer({ name: 'walk', version: '1.0.0' })
  server.addTool({
    name: 'sum',
    description: 'Adds two numbers',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    handler: ({ a, b }) => {
      frames = sourceFrames()
      return { sum: a + b }
    },
  })
  yield* httpFlows(server, () => frames)
  yield await stdioFlow(server, () => frames)
}

async function* httpFlows(server: McpServer, frames: () => number): AsyncGenerator<Flow, undefined> {
  const app = Fastify()
  const open = new Set<ServerResponse>()
  app.server.on('request', (_, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  await app.register(mcp, { server, path: '/mcp', legacySse: true })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })

  const post = async (path: string, message: object, headers: Record<string, string> = {}) => {
    const before = new Set(open)
    const response = await fetch(new URL(path, url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    const text = await response.text()
    await closed(before)
    return { text, headers: response.headers }
  }
  /** Waits until all responses that were not open `before` have ended on the server. */
  const closed = async (before: ReadonlySet<ServerResponse>): Promise<void> => {
    await Promise.all([...open].filter((it) => !before.has(it)).map((it) => once(it, 'close')))
    await settle()
  }

  const { headers } = await post('/mcp', initialize('2025-11-25'))
  const session = {
    'mcp-session-id': headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  }
  await post('/mcp', INITIALIZED, session)

  yield {
    name: 'POST tools/call, session',
    warmUp: 300,
    run: async (id) => expectResult((await post('/mcp', { id, ...CALL }, session)).text),
    frames,
  }
  yield {
    name: 'POST tools/call, 2026-07-28',
    warmUp: 300,
    run: async (id) => {
      const params = { ...CALL.params, _meta: META }
      expectResult((await post('/mcp', { id, ...CALL, params }, MODERN)).text)
    },
    frames,
  }
  yield {
    name: 'GET stream',
    warmUp: 30,
    run: async () => {
      const before = new Set(open)
      const client = new AbortController()
      const { status } = await fetch(new URL('/mcp', url), {
        headers: { accept: 'text/event-stream', ...session },
        signal: client.signal,
      })
      if (status !== 200) throw new Error(`GET was refused with ${status}`)
      client.abort()
      await closed(before)
    },
    frames: () => 0,
  }

  const sse = await openSse(url)
  await sse.post(initialize('2024-11-05'))
  await sse.post(INITIALIZED)
  yield {
    name: 'HTTP+SSE message',
    warmUp: 300,
    run: async (id) => expectResult(await sse.post({ id, ...CALL })),
    frames,
  }

  /** Opens an HTTP+SSE stream. `post` resolves to the response that arrives on the stream. */
  async function openSse(base: string): Promise<{ post(message: object): Promise<string> }> {
    const { body } = await fetch(new URL('/sse', base), { headers: { accept: 'text/event-stream' } })
    if (body === null) throw new Error('GET /sse has no body')
    const events = readEvents(body)
    const endpoint = await events.next()
    const path = /^data: (\S+)/m.exec(endpoint.value ?? '')?.[1]
    if (path === undefined) throw new Error(`No endpoint event: ${endpoint.value}`)
    return {
      post: async (message) => {
        await post(path, message)
        return 'id' in message ? ((await events.next()).value ?? '') : ''
      },
    }
  }
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end)
      text = text.slice(end + 2)
      if (event.includes('data:')) yield event
    }
  }
}

async function stdioFlow(server: McpServer, frames: () => number): Promise<Flow> {
  const input = new PassThrough()
  const output = new PassThrough().setEncoding('utf8')
  await serveStdio(server, { input, output })
  const send = async (message: object): Promise<string> => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    if (!('id' in message)) return ''
    let text = ''
    while (!text.endsWith('\n')) text += String((await once(output, 'data'))[0])
    await settle()
    return text
  }
  await send(initialize('2025-11-25'))
  await send(INITIALIZED)
  return {
    name: 'stdio tools/call',
    warmUp: 300,
    run: async (id) => expectResult(await send({ id, ...CALL })),
    frames,
  }
}
