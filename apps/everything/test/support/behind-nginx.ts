import { callTool, initialize as initializeRequest, INITIALIZED } from '@jetway-apps/test-support'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { McpServer } from '@jetway/core'
import { z } from 'zod'
import { createEverythingServer } from '../../src/server.ts'

/** The server's public host. */
const PUBLIC_HOST = 'mcp.example.com'
export const PUBLIC_URL: string = `https://${PUBLIC_HOST}/mcp`

/** Creates the server with every feature and a slow, silent tool. */
export function createServer(): McpServer {
  const server = createEverythingServer()
  server.addTool({
    name: 'be_silent',
    inputSchema: z.object({ ms: z.number() }),
    async handler({ ms }) {
      await delay(ms)
      return 'at last'
    },
  })
  return server
}

/** The part of a reply that has been received. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  text(): string
  /** Returns whether the connection is open. */
  open(): boolean
  /** Resolves when the connection ends. */
  readonly ended: Promise<void>
  leave(): void
}

/** Sends a request to nginx with the public host name. */
function send(port: number, method: string, headers: Record<string, string>, body?: object): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: '/mcp', method, headers: { host: PUBLIC_HOST, ...headers } },
      (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
        // A connection that breaks emits an error, and then a close event.
        reply.on('error', () => {})
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          text: () => text,
          open: () => !reply.closed,
          ended: new Promise((closed) => reply.once('close', closed)),
          leave: () => sent.destroy(),
        })
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const POST = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

export const initialize = (port: number): Promise<Reply> => send(port, 'POST', POST, initializeRequest())

export interface OutsideSession {
  listen(): Promise<Reply>
  beSilent(ms: number): Promise<Reply>
}

/** Opens a session through nginx. */
export async function openSession(port: number): Promise<OutsideSession> {
  const opened = await initialize(port)
  await opened.ended
  const headers = {
    'mcp-session-id': String(opened.headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  }
  const post = (body: object): Promise<Reply> => send(port, 'POST', { ...POST, ...headers }, body)
  const told = await post(INITIALIZED)
  await told.ended
  return {
    listen: () => send(port, 'GET', { accept: 'text/event-stream', ...headers }),
    beSilent: (ms) => post(callTool('be_silent', { ms }, { id: 2 })),
  }
}
