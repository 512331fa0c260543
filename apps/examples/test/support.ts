import { request } from 'node:http'
import {
  callTool,
  initialize as initializeRequest,
  request as requestTo,
  requestMeta,
} from '@jetway-apps/test-support'
import { startNode } from '@jetway-apps/test-support/processes'
import type { McpServer } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { connectPeer, type PeerOptions, type TestConnection } from '@jetway/testing'
import { program } from '@jetway-tools/runtimes/program'
import { onTestFinished, vi } from 'vitest'

/**
 * Allows the rest of the test to log to stderr, which would otherwise make the test fail. Returns a function
 * that returns the lines so far.
 */
export function expectStderr(): () => string[] {
  const error = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => error.mockRestore())
  return () => error.mock.calls.map(([line]) => String(line))
}

/** Starts an example in its own process on a free port, and stops it afterwards. */
export async function withProcess<T>(
  example: string,
  env: Record<string, string>,
  use: (origin: string) => Promise<T>,
): Promise<T> {
  const file = new URL(`../src/${example}.ts`, import.meta.url)
  const child = startNode(program(file), { ...env, PORT: '0' })
  try {
    const [, port] = await child.until(/(?:127\.0\.0\.1:|Port )(\d+)/)
    return await use(`http://127.0.0.1:${port}`)
  } finally {
    await child.stop()
  }
}

interface Answered {
  readonly result?: JsonObject
  readonly error?: JsonObject
}

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Sends a POST with node:http, because `fetch` does not send a custom Host header. */
function post(url: string, message: object, headers: Record<string, string>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          body,
        }),
      )
    })
    sent.end(JSON.stringify(message))
  })
}

export const initialize = (url: string, headers: Record<string, string> = {}): Promise<Reply> =>
  post(url, initializeRequest(), headers)

/** Opens a session. Returns the headers of its requests. */
export async function openSession(
  url: string,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const opened = await initialize(url, headers)
  return { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
}

/** Sends a request without a session and with these client capabilities. Returns the response. */
export async function ask(
  server: McpServer,
  method: string,
  params: object,
  capabilities: object = {},
): Promise<Answered> {
  const message = requestTo(method, { ...params, _meta: requestMeta(capabilities) })
  return JSON.parse((await server.handleMessage(message)) ?? '') as Answered
}

/** Connects a plain client to a server in this process. */
export function peerOf(
  server: McpServer,
  options: PeerOptions,
  of?: Parameters<McpServer['connect']>[1],
): Promise<TestConnection> {
  const [near, far] = createMemoryTransportPair()
  server.connect(far, of)
  return connectPeer(near, options)
}

/** Returns the result text of a tool. */
export async function call(
  url: string,
  name: string,
  headers: Record<string, string>,
  args: object = {},
): Promise<string> {
  const { body } = await post(url, callTool(name, args), headers)
  const { result } = JSON.parse(body) as { result: { content: [{ text: string }] } }
  return result.content[0].text
}

/** Returns the raw first event of a stream. */
export async function firstEvent(url: string, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await fetch(url, { headers: { accept: 'text/event-stream', ...headers } })
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes('\n\n')) break
  }
  return text
}
