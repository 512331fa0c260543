import { createServer as createHttp1, type Server } from 'node:http'
import { createServer, type Http2Server } from 'node:http2'
import type { Server as NetServer } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { McpServer, MountHandle } from '@jetway/core'
import { type EndpointOptions, toFetch } from '@jetway/core/http'
import { mcp as fastifyMcp } from '@jetway/fastify'
import { mcp as honoMcp } from '@jetway/hono'
import { mcp as nodeMcp } from '@jetway/node'
import { nodeConnection } from '@jetway/node/connection'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { listen, type Listening, portOf } from './listen.ts'

export { originOf } from './listen.ts'

/** A server on loopback in this process, at `/mcp`. */
export interface Mounted {
  readonly server: McpServer
  readonly http: NetServer
  readonly origin: string
  readonly port: number
  readonly handle: MountHandle
  /** Closes all connections, and closes the server without waiting for calls. */
  readonly stop: () => Promise<void>
}

export interface MountSite {
  /** The port. @default a free port */
  readonly port?: number
  /** The path before `/mcp`. */
  readonly base?: string
}

export type Mount = (server: McpServer, options?: EndpointOptions, site?: MountSite) => Promise<Mounted>

/** Creates an HTTP/2 server without TLS for a fetch handler. */
export const http2Server = (fetch: (request: Request) => Response | Promise<Response>): Http2Server =>
  createAdaptorServer({ fetch, createServer }) as Http2Server

/** Serves a fetch handler until the server is released. */
export const listenFetch = (
  fetch: (request: Request) => Response | Promise<Response>,
  port?: number,
): Promise<Listening> => listen(createAdaptorServer({ fetch }) as Server, port)

/** Serves a fetch handler until the end of the test. Returns the origin. */
export async function listenForTest(fetch: Parameters<typeof listenFetch>[0]): Promise<string> {
  const { origin, release } = await listenFetch(fetch)
  onTestFinished(release)
  return origin
}

export const onFastify: Mount = async (server, options, { port = 0, base } = {}) => {
  const app = Fastify({ forceCloseConnections: true })
  let handle: MountHandle | undefined
  const onMount = (mount: MountHandle): void => void (handle = mount)
  await app.register(
    async (scope) => void scope.register(fastifyMcp, { server, path: '/mcp', ...options, onMount }),
    base ? { prefix: base } : {},
  )
  const origin = await app.listen({ port, host: '127.0.0.1' })
  return {
    server,
    http: app.server,
    origin,
    port: portOf(app.server),
    handle: handle as MountHandle,
    async stop() {
      app.server.closeAllConnections()
      await Promise.all([app.close(), server.close({ deadline: 0 })])
    },
  }
}

export const onHono: Mount = async (server, options, { port, base } = {}) => {
  const handle = honoMcp({ server, path: '/mcp', ...options })
  const inner = new Hono().use(handle)
  const app = base ? new Hono().route(base, inner) : inner
  return { ...served(server, await listenFetch(app.fetch, port)), handle }
}

export const onFetch: Mount = async (server, options, { port } = {}) => {
  const handle = toFetch(server, { ...options, connection: nodeConnection })
  return { ...served(server, await listenFetch(handle, port)), handle }
}

export const onNode: Mount = async (server, options, { port } = {}) => {
  const handle: MountHandle & ReturnType<typeof nodeMcp> = nodeMcp({ server, ...options })
  return { ...served(server, await listen(createHttp1(handle), port)), handle }
}

function served(server: McpServer, { release, ...listening }: Listening): Omit<Mounted, 'handle'> {
  const stop = async (): Promise<void> => {
    release()
    await server.close({ deadline: 0 })
  }
  return { server, ...listening, stop }
}

/** The frameworks. Each mount handles everything between a socket and the server. */
export const FRAMEWORKS: Readonly<Record<'Fastify' | 'Hono', Mount>> = { Fastify: onFastify, Hono: onHono }

/** The frameworks, and the mount without a framework. */
export const MOUNTS: Readonly<Record<'Fastify' | 'Hono' | 'toFetch', Mount>> = {
  ...FRAMEWORKS,
  toFetch: onFetch,
}

/** Every way to serve on Node's sockets. */
export const NODE_MOUNTS: Readonly<Record<keyof typeof MOUNTS | 'Node', Mount>> = {
  ...MOUNTS,
  Node: onNode,
}
