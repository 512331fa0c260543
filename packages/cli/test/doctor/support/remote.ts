import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { silent } from '@jetway-apps/test-support'
import { listen } from '@jetway-apps/test-support/http'
import { McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { mcp } from '@jetway/node'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Finding } from '../../../src/doctor/finding.ts'
import { checkHttp } from '../../../src/doctor/http/check-http.ts'

/** Creates a server without faults. */
export function createServer(): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0.0' })
  server.addTool({
    name: 'get_weather',
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    handler: () => {
      throw new Error('No check may call a tool')
    },
  })
  return server
}

export const KEEP_ALIVE = { streams: { keepAlive: { intervalMs: 100 } } } as const

/** Returns Jetway's handler for a new server without faults, for the duration of the test. */
export function jetway(options: EndpointOptions = {}): RequestListener {
  const server = createServer()
  onTestFinished(() => server.close({ deadline: 0 }))
  return mcp({ server, path: '/mcp', logger: silent, ...KEEP_ALIVE, ...options })
}

/** Serves until the end of the test. Returns the origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const { origin, release } = await listen(listener)
  onTestFinished(release)
  return origin
}

export interface CheckOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly keepAliveMs?: number
}

export const checkUrl = async (
  url: string,
  { headers = {}, keepAliveMs = 3_000 }: CheckOptions = {},
): Promise<readonly Finding[]> =>
  (await checkHttp({ url, headers, progress: () => {}, keepAliveMs })).findings

/** Returns the findings that a user has to read. */
export const problems = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ verdict }) => verdict === 'fault' || verdict === 'warning')

/** Replies with JSON. */
export function json(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

interface RpcRequest {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string }
}

/**
 * A server without a framework. Its faults are the results in its script. A result with a `code` is sent as
 * an error.
 */
export interface Scripted {
  readonly initialize?: (version: string) => object
  readonly discover?: (version: unknown) => object
  readonly tools?: readonly object[]
  readonly prompts?: readonly object[]
}

export function scripted({ initialize, discover, tools = [], prompts = [] }: Scripted): RequestListener {
  const results: Readonly<Record<string, (request: RpcRequest) => object>> = {
    initialize: ({ params }) =>
      (initialize ?? ((version) => opening(known(version))))(params?.protocolVersion ?? ''),
    ...(discover !== undefined && {
      'server/discover': ({ params }) =>
        discover(
          (params as { _meta?: object } | undefined)?._meta?.[
            'io.modelcontextprotocol/protocolVersion' as never
          ],
        ),
    }),
    'tools/list': () => ({ tools }),
    'prompts/list': () => ({ prompts }),
  }
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(405).end()
      return
    }
    const message = JSON.parse(await text(request)) as RpcRequest
    if (message.id === undefined) {
      response.writeHead(202).end()
      return
    }
    const result = results[message.method]?.(message) ?? { code: -32601, message: 'Method not found' }
    const member = 'code' in result ? { error: result } : { result }
    json(response, 200, { jsonrpc: '2.0', id: message.id, ...member })
  }
  return (request, response) => void reply(request, response)
}

/** Returns a server without faults. For requests whose body contains this text, it uses the handler `other`. */
export function insteadOf(part: string, other: RequestListener): RequestListener {
  const answers = scripted({})
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const again = Object.assign(Readable.from([body]), { method: request.method }) as never
    ;(body.includes(part) ? other : answers)(again, response)
  }
  return (request, response) => void reply(request, response)
}

const KNOWN = ['2025-11-25', '2025-06-18']
const known = (version: string): string => (KNOWN.includes(version) ? version : '2025-11-25')

/** Returns a result for `initialize`. */
export const opening = (protocolVersion: unknown): object => ({
  protocolVersion,
  capabilities: { tools: {}, prompts: {} },
  serverInfo: { name: 'scripted', version: '1.0.0' },
})
