import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import { FRAMEWORKS } from '@jetway-apps/test-support/mounts'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { http } from '@jetway/client/http'
import { checkServerOffers } from '../../src/doctor/offers/server-offers.ts'
import { checkProtocol } from '../../src/doctor/protocol/protocol.ts'
import { checkUrl, createServer, jetway, KEEP_ALIVE, problems, serve } from './support/remote.ts'
import { protectedServer } from './support/protected.ts'

async function checkAll(url: string): Promise<ReturnType<typeof problems>> {
  const target = http(url)
  return problems([
    ...(await checkUrl(url)),
    ...(await checkProtocol({ target, progress: () => {} })),
    ...(await checkServerOffers({ target })),
  ])
}

const asSync =
  (listener: Listener): RequestListener =>
  (request, response) =>
    void listener(request, response)

const tool = { description: 'Adds', inputSchema: { a: z.number() } }
const result = { content: [{ type: 'text' as const, text: 'No check may call a tool' }] }

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A server that uses version 1 of the official SDK, with its protection against DNS rebinding. */
function official1(): Listener {
  const open = new Map<string, StreamableHTTPServerTransport>()
  return async (request, response) => {
    const body: unknown = request.method === 'POST' ? await readJson(request) : undefined
    const id = request.headers['mcp-session-id']
    if (typeof id === 'string' && !open.has(id)) {
      response.writeHead(404).end()
      return
    }
    let transport = typeof id === 'string' ? open.get(id) : undefined
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableDnsRebindingProtection: true,
        allowedOrigins: ['http://localhost'],
        keepAliveMs: 100,
        onsessioninitialized: (opened) => void open.set(opened, transport as StreamableHTTPServerTransport),
      })
      const server = new McpServer1({ name: 'official-1', version: '1.0.0' })
      server.registerTool('add', tool, () => result)
      await server.connect(transport)
    }
    await transport.handleRequest(request, response, body)
  }
}

/** A server that uses version 2 of the official SDK, which checks Host and Origin. */
function official2(): Listener {
  const handler = toNodeHandler(
    createMcpHandler(
      () => {
        const server = new McpServer2({ name: 'official-2', version: '1.0.0' })
        server.registerTool('add', { ...tool, inputSchema: z.object(tool.inputSchema) }, () => result)
        return server
      },
      { keepAliveMs: 100 },
    ),
  ) as Listener
  const guards = [localhostHostValidation(), localhostOriginValidation()]
  return async (request, response) => {
    if (guards.every((guard) => guard(request, response))) await handler(request, response)
  }
}

describe('jetway doctor', () => {
  it.each(Object.entries(FRAMEWORKS))('finds no faults in Jetway on %s', async (_, mount) => {
    const { origin, stop } = await mount(createServer(), KEEP_ALIVE)
    onTestFinished(stop)
    expect(await checkAll(`${origin}/mcp`)).toEqual([])
  })

  it.each([
    ['node:http', {}],
    ['node:http without sessions', { stateless: true }],
  ])('finds no faults in Jetway on %s', async (_, options) => {
    expect(await checkAll(`${await serve(jetway(options))}/mcp`)).toEqual([])
  })

  it('finds no faults in Jetway with authorization, with or without a token', async () => {
    const { listener, token } = await protectedServer()
    const url = `${await serve(listener)}/mcp`
    const without = await checkUrl(url)
    const authorization = await token(url)
    const findings = await checkUrl(url, { headers: { authorization: `Bearer ${authorization}` } })
    expect([problems(without), problems(findings)]).toEqual([[], []])
    const checks = ['authorization', 'resource-metadata', 'audience', 'authorization-server']
    expect(without.map(({ check }) => check)).toEqual(checks)
    expect(findings.map(({ check }) => check)).toEqual([
      ...checks,
      'origin',
      'session-id',
      'cors',
      'stream',
      'stream-encoding',
      'stream-cache',
      'keep-alive',
      'session-end',
    ])
    expect(JSON.stringify(findings)).not.toContain(authorization)
  })

  it.each([
    ['1', official1],
    ['2', official2],
  ])('finds no faults in version %s of the official SDK', async (_, listener) => {
    expect(await checkAll(`${await serve(asSync(listener()))}/mcp`)).toEqual([])
  })
})

it('jetway doctor does not change a server', async () => {
  const listener = jetway()
  const methods = new Set<string>()
  const origin = await serve(
    asSync(async (request, response) => {
      const { method = '' } = request
      const body = method === 'POST' ? ((await readJson(request)) as { readonly method: string }) : undefined
      methods.add(body?.method ?? method)
      // Simulates a body parser, which stores the body here.
      listener(Object.assign(request, { body }), response)
    }),
  )
  await checkAll(`${origin}/mcp`)
  expect([...methods].toSorted()).toEqual([
    'DELETE',
    'GET',
    'OPTIONS',
    'initialize',
    'notifications/initialized',
    'ping',
    'server/discover',
    'subscriptions/listen',
    'tools/list',
  ])
})
