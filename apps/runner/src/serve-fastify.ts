import type { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
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

/** Serves over Fastify. Fastify overrides the socket limits unless they are passed to it. */
export async function serveFastify(server: McpServer, listen: ListenOptions): Promise<Listening> {
  const { host, port, response } = listen
  const { keepAliveTimeout, requestTimeout, ...http } = SOCKET_LIMITS
  const app = Fastify({ keepAliveTimeout, requestTimeout, http })
  await app.register(mcp, {
    server,
    path: PATH,
    legacySse: hasSessions(server),
    sessions: sessionOptions(),
    response,
  })
  await app.listen({ host, port })
  return {
    port: portOf(app.server.address()),
    stop: async () => {
      // Fastify is closed last. While it is closing, it replies to every request with 503, even to requests that
      // carry responses for which running calls are waiting.
      await server.close({ deadline: CLOSE_DEADLINE_MS })
      await cutWhenFlushed(app.server, app.close())
    },
  }
}
