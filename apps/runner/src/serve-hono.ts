import { once } from 'node:events'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import type { McpServer } from '@jetway/core'
import { mcp } from '@jetway/hono'
import { Hono } from 'hono'
import {
  CLOSE_DEADLINE_MS,
  cutWhenFlushed,
  hasSessions,
  type Listening,
  type ListenOptions,
  PATH,
  portOf,
  sessionOptions,
  SOCKET_LIMITS,
} from './http-server.ts'

/** Serves over Hono on Node. */
export async function serveHono(server: McpServer, listen: ListenOptions): Promise<Listening> {
  const { host, port, response } = listen
  const app = new Hono()
  app.use(mcp({ server, path: PATH, legacySse: hasSessions(server), sessions: sessionOptions(), response }))
  const http = createAdaptorServer({ fetch: app.fetch, serverOptions: SOCKET_LIMITS }) as Server
  http.listen(port, host)
  await once(http, 'listening')
  return {
    port: portOf(http.address()),
    stop: async () => {
      // The port remains open at first, because running calls may be waiting for responses from the client.
      await server.close({ deadline: CLOSE_DEADLINE_MS })
      await cutWhenFlushed(http, new Promise((resolve) => http.close(resolve)))
    },
  }
}
