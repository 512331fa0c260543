import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '@jetway-apps/test-support/http'
import { onTestFinished } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/options/options.ts'
import { http } from '../../../src/http/http.ts'
import type { HttpOptions } from '../../../src/http/options.ts'

/** A request, as passed to the script. */
export interface Asked {
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly message: {
    readonly id?: number
    readonly method?: string
    readonly params?: Record<string, unknown>
  }
  readonly response: ServerResponse
  /** Replies with a JSON result. */
  readonly result: (result: object, headers?: Record<string, string>) => void
  /** Starts an event stream. */
  readonly stream: () => (text: string) => void
}

/**
 * Starts a server on loopback that runs its script for each request and is closed at the end of the test.
 * Resolves to its URL.
 */
export async function scripted(script: (asked: Asked) => void): Promise<string> {
  const { origin, release } = await listen((request, response) => void answer(request, response))
  onTestFinished(release)
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const message = (body === '' ? {} : JSON.parse(body)) as Asked['message']
    script({
      method: request.method ?? '',
      headers: request.headers,
      message,
      response,
      result(result, headers = {}) {
        response.writeHead(200, { 'content-type': 'application/json', ...headers })
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
      },
      stream() {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        return (events) => response.write(events)
      },
    })
  }
  return `${origin}/mcp`
}

export const DONE = { content: [{ type: 'text', text: 'done' }] }

/** Connects a client that reconnects immediately and is closed at the end of the test. */
export async function connect(
  url: string,
  options: HttpOptions = {},
  more: ClientOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'wire', version: '1' }, { eras: false, ...more })
  onTestFinished(() => client.close())
  return client.connect(http(url, { reconnect: { initialDelayMs: 1, maxDelayMs: 20 }, ...options }))
}

/** Responds to the handshake of revision 2025-06-18, without a GET stream. Returns false for other messages. */
export function handshake(
  { method, message, response, result }: Asked,
  headers?: Record<string, string>,
): boolean {
  if (method === 'GET' || method === 'DELETE') response.writeHead(405).end()
  else if (message.method === 'server/discover') response.writeHead(400).end()
  else if (message.method === 'initialize')
    result(
      { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
      headers,
    )
  else if (message.id === undefined) response.writeHead(202).end()
  else return false
  return true
}

export const event = (value: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`
