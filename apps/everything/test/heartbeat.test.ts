import { McpServer, type ServerOptions } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const SECOND = 1_000

/** Both sides use fake timers. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Sends web requests directly to a fetch handler, without a socket. */
function overHttp(server: McpServer): Transport {
  const handler = toFetch(server)
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> => handler(new Request(url, init))
  return new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch })
}

/** Connects the client and the server through an in-memory duplex connection. */
function inMemory(server: McpServer): Transport {
  const [near, far] = createMemoryTransportPair()
  server.connect(far)
  const transport: Transport = {
    start: async () => {
      await near.start({
        message: (text) => transport.onmessage?.(JSON.parse(text) as JSONRPCMessage),
        malformed: () => {},
        close: () => transport.onclose?.(),
      })
    },
    send: async (message) => {
      await near.send(JSON.stringify(message))
    },
    close: () => Promise.resolve(near.close()),
  }
  return transport
}

describe.each([
  ['over Streamable HTTP', overHttp],
  ['over a duplex connection', inMemory],
])('a 90 s call with a 60 s client timeout, %s', (_, connect) => {
  /** Returns the outcome of the official client's call, and its progress notifications. */
  async function call(options: ServerOptions): Promise<{ outcome: unknown; heard: number[] }> {
    const server = new McpServer(
      { name: 'slow', version: '1' },
      { limits: { handlerTimeoutMs: 120 * SECOND }, ...options },
    )
    server.addTool({
      name: 'slow',
      handler: () => new Promise<string>((resolve) => setTimeout(() => resolve('at last'), 90 * SECOND)),
    })
    const client = new Client({ name: 'patient', version: '1' })
    const heard: number[] = []
    let outcome: unknown
    try {
      await client.connect(connect(server))
      client
        .callTool({ name: 'slow' }, undefined, {
          resetTimeoutOnProgress: true,
          onprogress: ({ progress }) => heard.push(progress),
        })
        .then(
          ({ content }) => (outcome = content),
          (error: Error) => (outcome = error.message),
        )
      for (let second = 0; second < 91; second++) {
        await vi.advanceTimersByTimeAsync(SECOND)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await vi.waitFor(() => expect(outcome).toBeDefined())
    } finally {
      await client.close()
      await server.close({ deadline: 0 })
    }
    return { outcome, heard }
  }

  it('succeeds because progress notifications arrive every 15 s', async () => {
    const { outcome, heard } = await call({})
    expect(outcome).toEqual([{ type: 'text', text: 'at last' }])
    expect(heard).toHaveLength(5)
    expect(heard).toEqual([...new Set(heard)].toSorted((a, b) => a - b))
  })

  it('times out in the client if no progress notification arrives', async () => {
    const { outcome, heard } = await call({ progressHeartbeat: false })
    expect(outcome).toMatch(/timed out/i)
    expect(heard).toEqual([])
  })
})
