import type { McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { type Door, type HttpMount, httpDoor } from '../../src/doors.ts'
import type { AdapterSubject } from '../../src/contracts/adapter.ts'
import { fastify, hono } from './adapters.ts'
import { LegacySseTransport } from './legacy-sse-transport.ts'
import { stdioDoor } from './stdio-door.ts'

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

const socketDoor = (name: string, subject: AdapterSubject): Door =>
  httpDoor(name, (server) => mount(subject, server))

const sseDoor = (name: string, subject: AdapterSubject): Door => ({
  name: `${name}'s HTTP+SSE`,
  async open(server) {
    const mounted = await mount(subject, server, { legacySse: true })
    return {
      dial: () => new LegacySseTransport(new URL('/sse', mounted.url).href),
      close: () => mounted.close(),
    }
  },
})

/** The doors as users have them: both frameworks over real sockets, and the lines of stdio. */
export const HOST_DOORS: readonly Door[] = [
  socketDoor('Fastify', fastify),
  socketDoor('Hono', hono),
  stdioDoor,
]

/** The transport of 2024-11-05 on both frameworks, over real sockets. */
export const SSE_DOORS: readonly Door[] = [sseDoor('Fastify', fastify), sseDoor('Hono', hono)]
