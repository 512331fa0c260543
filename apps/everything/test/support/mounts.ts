import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { McpServer } from '@jetway/core'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import Fastify from 'fastify'
import { Hono } from 'hono'

/** A server that listens in this process, at `/mcp`, with HTTP+SSE at `/sse`. */
export interface Mounted {
  readonly port: number
  readonly stop: () => Promise<unknown>
}

export const MOUNTS = {
  async fastify(server: McpServer): Promise<Mounted> {
    const app = Fastify()
    await app.register(fastifyMcp, { server, path: '/mcp', legacySse: true })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return { port: (app.server.address() as AddressInfo).port, stop: () => app.close() }
  },
  async hono(server: McpServer): Promise<Mounted> {
    const app = new Hono()
    app.use(honoMcp({ server, path: '/mcp', legacySse: true }))
    const http = createAdaptorServer({ fetch: app.fetch }) as Server
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const stop = async (): Promise<void> => {
      await server.close()
      http.closeAllConnections()
      http.close()
    }
    return { port: (http.address() as AddressInfo).port, stop }
  },
}
