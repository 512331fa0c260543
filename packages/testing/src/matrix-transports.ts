import type { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { createMemoryTransportPair, type Transport } from '@jetway/core/transport'
import { HttpTransport } from './http-transport.ts'
import type { Fetch } from './record-fetch.ts'

/** A server that is running behind a transport. */
export interface OpenTransport {
  /** Returns a transport for a new client, which must still be started. */
  dial(): Transport | Promise<Transport>
  close(): Promise<void>
}

/** A transport for {@link describeMatrix}: serves a server, and connects clients to it. */
export interface MatrixTransport {
  readonly name: string
  /** The revisions that the transport supports. @default all revisions */
  readonly revisions?: readonly string[]
  open(server: McpServer): OpenTransport | Promise<OpenTransport>
}

/** Connects the client and the server in one process, without encoding. */
export const memoryTransport: MatrixTransport = {
  name: 'memory',
  open: (server) => ({
    dial() {
      const [client, end] = createMemoryTransportPair()
      // The short grace period prevents the server from waiting for calls that a test has abandoned.
      server.connect(end, { endGraceMs: 50 })
      return client
    },
    close: () => server.close({ deadline: 0 }),
  }),
}

/** The address at which clients reach an HTTP mount, and their `fetch`. */
export interface HttpMount {
  readonly url: string
  /** @default the global `fetch` */
  readonly fetch?: Fetch
  close(): Promise<void>
}

/** Creates a Streamable HTTP transport over your own app. `serve` must mount the server and return its URL. */
export function httpTransport(
  name: string,
  serve: (server: McpServer) => HttpMount | Promise<HttpMount>,
): MatrixTransport {
  return {
    name,
    async open(server) {
      const mount = await serve(server)
      return { dial: () => new HttpTransport(mount), close: () => mount.close() }
    },
  }
}

/** Streamable HTTP with web requests, without a socket. */
export const fetchTransport: MatrixTransport = httpTransport('fetch', (server) => {
  const handler = toFetch(server)
  return { url: 'http://localhost/mcp', fetch: handler, close: () => handler.close({ deadline: 0 }) }
})
