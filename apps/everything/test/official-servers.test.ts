import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen } from '@jetway-apps/test-support/http'
import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'

type Answer = (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void> | void

/** Serves on loopback; resolves to the origin. */
async function serve(answer: Answer): Promise<string> {
  const { origin, release } = await listen((request, response) => {
    const body = request.method === 'POST' ? json(request) : Promise.resolve(undefined)
    void body.then((parsed) => answer(request, response, parsed))
  })
  onTestFinished(release)
  return origin
}

const addition = { a: z.number(), b: z.number() }
const text = (value: unknown): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: String(value) }],
})

/** Creates a server with version 1 of the official SDK. Its tools add numbers, report progress and ask questions. */
function createServer1(): McpServer1 {
  const server = new McpServer1({ name: 'official-1', version: '1.0.0' }, { capabilities: { logging: {} } })
  server.registerTool('add', { inputSchema: addition }, ({ a, b }) => text(a + b))
  server.registerTool('steps', {}, async (extra) => {
    const { progressToken = 0 } = extra._meta ?? {}
    for (const progress of [1, 2])
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress } })
    return text('done')
  })
  server.registerTool('ask', {}, async () => {
    const answer = await server.server.elicitInput({
      message: 'How many?',
      requestedSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    })
    return text(answer.action === 'accept' ? answer.content?.['count'] : answer.action)
  })
  return server
}

async function connect(url: string): Promise<Client> {
  const client = new Client(
    { name: 'jetway-test', version: '1' },
    { eras: false, handlers: { elicit: () => ({ action: 'accept', content: { count: 3 } }) } },
  )
  onTestFinished(() => client.close())
  return client.connect(http(url))
}

/** The checks for every server over every transport. */
async function works(client: Client): Promise<void> {
  expect((await client.listTools()).map(({ name }) => name)).toContain('add')
  expect((await client.callTool('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }])
  expect(await client.callTool('add', { a: 'one' })).toMatchObject({ isError: true })
}

async function tellsAndAsks(client: Client): Promise<void> {
  const onProgress = vi.fn<(report: { readonly progress: number }) => void>()
  await client.callTool('steps', {}, { onProgress })
  expect(onProgress.mock.calls.map(([{ progress }]) => progress)).toEqual([1, 2])
  expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: '3' }])
}

describe('an HTTP connection to a server of the official SDK', () => {
  it.each([true, false])(
    'works with version 1 and sessions (JSON replies: %s)',
    async (enableJsonResponse) => {
      const open = new Map<string, StreamableHTTPServerTransport>()
      const origin = await serve(async (request, response, body) => {
        const id = request.headers['mcp-session-id']
        let transport = typeof id === 'string' ? open.get(id) : undefined
        if (transport === undefined) {
          transport = new StreamableHTTPServerTransport({
            sessionIdGenerator: () => randomUUID(),
            enableJsonResponse,
            onsessioninitialized: (opened) =>
              void open.set(opened, transport as StreamableHTTPServerTransport),
          })
          await createServer1().connect(transport)
        }
        await transport.handleRequest(request, response, body)
      })
      const client = await connect(`${origin}/mcp`)
      await works(client)
      if (!enableJsonResponse) await tellsAndAsks(client)
    },
  )

  it('works with version 1 without sessions', async () => {
    const origin = await serve(async (request, response, body) => {
      const transport = new StreamableHTTPServerTransport({})
      await createServer1().connect(transport)
      await transport.handleRequest(request, response, body)
    })
    await works(await connect(`${origin}/mcp`))
  })

  it('detects version 1 over HTTP+SSE', async () => {
    let transport: SSEServerTransport | undefined
    const origin = await serve(async (request, response, body) => {
      if (request.url === '/sse' && request.method === 'GET') {
        transport = new SSEServerTransport('/messages', response)
        await createServer1().connect(transport)
      } else if (request.url?.startsWith('/messages') === true) {
        await transport?.handlePostMessage(request, response, body)
      } else {
        response.writeHead(404).end('Cannot POST /sse')
      }
    })
    const client = await connect(`${origin}/sse`)
    await works(client)
    await tellsAndAsks(client)
  })

  it('works with version 2 and the newest revision', async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer2({ name: 'official-2', version: '1.0.0' })
      server.registerTool('add', { inputSchema: z.object(addition) }, ({ a, b }) => text(a + b))
      return server
    })
    const answer = toNodeHandler(handler) as Answer
    const origin = await serve((request, response, body) => answer(request, response, body))
    const client = await connect(`${origin}/mcp`)
    expect(client.server?.protocolVersion).toBe('2026-07-28')
    await works(client)
  })
})
