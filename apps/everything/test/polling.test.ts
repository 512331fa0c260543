import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEverythingServer } from '../src/server.ts'

const MOUNTS = {
  async Fastify(): Promise<number> {
    const app = Fastify()
    await app.register(fastifyMcp, { server: createEverythingServer() })
    await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => app.close())
    return (app.server.address() as AddressInfo).port
  },
  async Hono(): Promise<number> {
    const mount = honoMcp({ server: createEverythingServer() })
    const app = new Hono()
    app.use(mount)
    const http = createAdaptorServer({ fetch: app.fetch }) as Server
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(async () => {
      await mount.close()
      http.closeAllConnections()
      http.close()
    })
    return (http.address() as AddressInfo).port
  },
}

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
describe.each(Object.entries(MOUNTS))('a tool on %s that closes its connection', (_, mount) => {
  it.each(Object.entries(CLIENTS))(
    'is answered when the official client %s polls',
    async (_version, connect) => {
      const resumed: string[] = []
      const record: typeof fetch = (input, init) => {
        const id = new Headers(init?.headers).get('last-event-id')
        if (id !== null) resumed.push(id)
        return fetch(input, init)
      }
      const client = await connect(new URL(`http://127.0.0.1:${await mount()}/mcp`), record)
      onTestFinished(() => client.close())
      const result = await client.callTool({ name: 'test_reconnection', arguments: {} })
      expect(result.content).toEqual([{ type: 'text', text: 'Answered after a while' }])
      expect(resumed).toHaveLength(1)
    },
  )
})
