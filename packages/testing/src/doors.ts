import type { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { createMemoryTransportPair, type Transport } from '@jetway/core/transport'
import { HttpTransport } from './http-transport.ts'
import type { Fetch } from './record-fetch.ts'

/** A server that is being served, seen from the client. */
export interface OpenDoor {
  /** A new client's transport, not started yet. */
  dial(): Transport | Promise<Transport>
  close(): Promise<void>
}

/** A way to reach a server. */
export interface Door {
  readonly name: string
  /** The revisions that can be spoken over it. @default all */
  readonly revisions?: readonly string[]
  open(server: McpServer): OpenDoor | Promise<OpenDoor>
}

/** Both sides in one process, without any encoding between them. */
export const memoryDoor: Door = {
  name: 'memory',
  open: (server) => ({
    dial() {
      const [client, end] = createMemoryTransportPair()
      // A test that leaves a call behind should not wait for it.
      server.connect(end, { endGraceMs: 50 })
      return client
    },
    close: () => server.close({ deadline: 0 }),
  }),
}

/** An HTTP mount as its clients see it. */
export interface HttpMount {
  readonly url: string
  /** @default the global fetch */
  readonly fetch?: Fetch
  close(): Promise<void>
}

/** A door that speaks Streamable HTTP: say how to serve, and the client's side is known. */
export function httpDoor(name: string, serve: (server: McpServer) => HttpMount | Promise<HttpMount>): Door {
  return {
    name,
    async open(server) {
      const mount = await serve(server)
      const { url, fetch } = mount
      return {
        dial: () => new HttpTransport({ url, ...(fetch === undefined ? {} : { fetch }) }),
        close: () => mount.close(),
      }
    },
  }
}

/** Streamable HTTP through web requests, without a socket. */
export const fetchDoor: Door = httpDoor('fetch', (server) => {
  const handler = toFetch(server)
  return { url: 'http://localhost/mcp', fetch: handler, close: () => handler.close({ deadline: 0 }) }
})
