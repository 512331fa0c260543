import { FRAMEWORKS } from '@jetway-apps/test-support/mounts'
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEverythingServer } from '../src/server.ts'

const info = { name: 'polling', version: '1' }
const CLIENTS = {
  v1: async (url: URL, record: typeof fetch) => {
    const client = new ClientV1(info)
    await client.connect(new TransportV1(url, { fetch: record }))
    return client
  },
  v2: async (url: URL, record: typeof fetch) => {
    const client = new ClientV2(info)
    await client.connect(new TransportV2(url, { fetch: record }))
    return client
  },
}

// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
describe.each(Object.entries(FRAMEWORKS))('a tool on %s that closes its stream during a call', (_, mount) => {
  it.each(Object.entries(CLIENTS))(
    'delivers its response when the official client %s polls',
    async (_version, connect) => {
      const resumed: string[] = []
      const record: typeof fetch = (input, init) => {
        const id = new Headers(init?.headers).get('last-event-id')
        if (id !== null) resumed.push(id)
        return fetch(input, init)
      }
      const { origin, stop } = await mount(createEverythingServer())
      onTestFinished(stop)
      const client = await connect(new URL(`${origin}/mcp`), record)
      onTestFinished(() => client.close())
      const result = await client.callTool({ name: 'test_reconnection', arguments: {} })
      expect(result.content).toEqual([{ type: 'text', text: 'Answered after a while' }])
      expect(resumed).toHaveLength(1)
    },
  )
})
