import { once } from 'node:events'
import { createServer as createHttp2, type Http2Server } from 'node:http2'
import type { MountHandle } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import { nodeConnection } from '@jetway/node/connection'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { originOf, portOf } from './listen.ts'
import { http2Server, type Mount, type Mounted, type NODE_MOUNTS } from './mounts.ts'

interface Made {
  readonly http: Http2Server
  readonly handle: MountHandle
}

/** Functions that serve HTTP/2 without TLS on each host of `NODE_MOUNTS`. */
const HOSTS: Readonly<
  Record<keyof typeof NODE_MOUNTS, (...mounted: Parameters<Mount>) => Made | Promise<Made>>
> = {
  async Fastify(server, options) {
    const app = Fastify({ http2: true })
    let handle: MountHandle | undefined
    await app.register(fastifyMcp, { server, ...options, onMount: (mount) => (handle = mount) })
    await app.ready()
    return { http: app.server, handle: handle as MountHandle }
  },
  Hono(server, options) {
    const handle = honoMcp({ server, ...options })
    return { http: http2Server(new Hono().use(handle).fetch), handle }
  },
  toFetch(server, options) {
    const handle = toFetch(server, { ...options, connection: nodeConnection })
    return { http: http2Server(handle), handle }
  },
  Node(server, options) {
    const handle = nodeMcp({ server, ...options })
    return { http: createHttp2(handle), handle }
  },
}

const mountOf =
  (host: keyof typeof HOSTS): Mount =>
  async (server, options, { port = 0 } = {}): Promise<Mounted> => {
    const { http, handle } = await HOSTS[host](server, options)
    const sessions = new Set<{ destroy(): void }>()
    http.on('session', (session) => {
      sessions.add(session)
      session.once('close', () => sessions.delete(session))
    })
    await once(http.listen(port, '127.0.0.1'), 'listening')
    return {
      server,
      http,
      handle,
      origin: originOf(http),
      port: portOf(http),
      async stop() {
        for (const session of sessions) session.destroy()
        http.close()
        await server.close({ deadline: 0 })
      },
    }
  }

/** The hosts of `NODE_MOUNTS` with HTTP/2. */
export const HTTP2_MOUNTS: typeof NODE_MOUNTS = {
  Fastify: mountOf('Fastify'),
  Hono: mountOf('Hono'),
  toFetch: mountOf('toFetch'),
  Node: mountOf('Node'),
}
