import { PassThrough } from 'node:stream'
import {
  Client,
  type ClientHandlers,
  type ClientOptions,
  duplex,
  type TransportFactory,
} from '@jetway/client'
import { http, type HttpOptions, sse } from '@jetway/client/http'
import type { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { type RevisionDate, REVISIONS } from '@jetway/core/protocol'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { serveStdio, StdioTransport } from '@jetway/stdio'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'

const ORIGIN = 'http://127.0.0.1:8000'
type Fetch = NonNullable<HttpOptions['fetch']>

/** Ways to serve a server. Each one returns the target that a client connects to. */
export const MOUNTS = {
  memory: (server) => {
    const [near, far] = createMemoryTransportPair()
    server.connect(far, { endGraceMs: 50 })
    return () => duplex(near)
  },
  stdio: async (server) => {
    const [up, down] = [new PassThrough(), new PassThrough()]
    const served = await serveStdio(server, { input: up, output: down })
    onTestFinished(() => served.close())
    return () => duplex(new StdioTransport({ input: down, output: up }), { network: { transport: 'pipe' } })
  },
  toFetch: (server) => http(`${ORIGIN}/mcp`, { fetch: fetchOf(server) }),
  'HTTP+SSE': (server) => sse(`${ORIGIN}/sse`, { fetch: fetchOf(server) }),
  Hono: (server) => {
    const app = new Hono()
    app.use(honoMcp({ server }))
    return http(`${ORIGIN}/mcp`, { fetch: async (url, init) => app.request(url, init) })
  },
  Fastify: async (server) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    await app.register(fastifyMcp, { server })
    return http(`${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`)
  },
} as const satisfies Record<string, (server: McpServer) => TransportFactory | Promise<TransportFactory>>

export type Mount = keyof typeof MOUNTS

function fetchOf(server: McpServer): Fetch {
  const handler = toFetch(server, { legacySse: true })
  onTestFinished(() => handler.close({ deadline: 0 }))
  return async (url, init) => handler(new Request(url, init))
}

/** Every combination of a mount and a revision that the mount supports. */
export const CELLS: readonly (readonly [Mount, RevisionDate])[] = Object.keys(MOUNTS).flatMap((name) =>
  REVISIONS.filter(({ era }) => name !== 'HTTP+SSE' || era === 'legacy').map(
    ({ version }) => [name as Mount, version] as const,
  ),
)

/** Connects a client to a mounted server. Both are closed at the end of the test. */
export async function connectOver(
  mount: Mount,
  server: McpServer,
  options: ClientOptions & { readonly handlers?: ClientHandlers } = {},
): Promise<Client> {
  const target = await MOUNTS[mount](server)
  const client = new Client({ name: 'host', version: '1' }, { eras: false, ...options })
  onTestFinished(async () => {
    await client.close()
    await server.close({ deadline: 0 })
  })
  return client.connect(target)
}
