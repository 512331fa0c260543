import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { program } from '@jetway-tools/runtimes/program'
import { createEverythingServer } from '@jetway-apps/everything/server'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import Fastify from 'fastify'
import { Hono } from 'hono'

/** The server of `apps/everything`, served by this process. */
export interface Served {
  readonly origin: string
  close(): Promise<unknown>
}

export async function onFastify(): Promise<Served> {
  const app = Fastify()
  await app.register(fastifyMcp, { server: createEverythingServer(), legacySse: true })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { origin, close: () => app.close() }
}

export async function onHono(): Promise<Served> {
  const server = createEverythingServer()
  const app = new Hono()
  app.use(honoMcp({ server }))
  const http = createAdaptorServer({ fetch: app.fetch }) as Server
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async close() {
      await server.close()
      http.closeAllConnections()
      http.close()
    },
  }
}

const main = new URL('../../../everything/src/main.ts', import.meta.url)

/** The command that starts the server of `apps/everything` over stdio. */
export const stdioCommand: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [...program(main), '--stdio'],
}
