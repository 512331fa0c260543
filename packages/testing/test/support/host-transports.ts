import type { McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { type MatrixTransport, type HttpMount, httpTransport } from '../../src/matrix-transports.ts'
import type { AdapterSubject } from '../../src/contracts/adapter.ts'
import { fastify, hono } from './adapters.ts'
import { LegacySseTransport } from './legacy-sse-transport.ts'
import { stdioTransport } from './stdio-matrix-transport.ts'

async function mount(
  subject: AdapterSubject,
  server: McpServer,
  options: EndpointOptions = {},
): Promise<HttpMount> {
  const { url, close, release } = await subject.serve(server, options, {})
  return {
    url,
    close: async () => {
      await server.close({ deadline: 0 })
      await release()
      await close()
    },
  }
}

const socketTransport = (name: string, subject: AdapterSubject): MatrixTransport =>
  httpTransport(name, (server) => mount(subject, server))

const sseTransport = (name: string, subject: AdapterSubject): MatrixTransport => ({
  name: `${name}'s HTTP+SSE`,
  async open(server) {
    const mounted = await mount(subject, server, { legacySse: true })
    return {
      dial: () => new LegacySseTransport(new URL('/sse', mounted.url).href),
      close: () => mounted.close(),
    }
  },
})

/** The transports that hosts use: both frameworks over real sockets, and stdio. */
export const HOST_TRANSPORTS: readonly MatrixTransport[] = [
  socketTransport('Fastify', fastify),
  socketTransport('Hono', hono),
  stdioTransport,
]

/** The transport of revision 2024-11-05, on both frameworks and over real sockets. */
export const SSE_TRANSPORTS: readonly MatrixTransport[] = [
  sseTransport('Fastify', fastify),
  sseTransport('Hono', hono),
]
