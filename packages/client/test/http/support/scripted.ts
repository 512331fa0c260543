import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request for the script. */
export interface Asked {
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly message: {
    readonly id?: number
    readonly method?: string
    readonly params?: Record<string, unknown>
  }
  readonly response: ServerResponse
  /** Answers with a JSON result. */
  readonly result: (result: object, headers?: Record<string, string>) => void
  /** Begins a stream of events. */
  readonly stream: () => (text: string) => void
}

/** Starts a server on loopback that runs its script for each request, and ends with the test. Resolves to its URL. */
export async function scripted(script: (asked: Asked) => void): Promise<string> {
  const server = createServer((request, response) => void answer(request, response))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** Answers the handshake of 2025-06-18, without a GET stream. False for other messages. */
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
