import type { McpServer } from '@jetway/core'
import { type EndpointOptions, toFetch } from '@jetway/core/http'
import { onTestFinished } from 'vitest'
import { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import { http } from '../../src/http/http.ts'
import type { Fetch, HttpOptions } from '../../src/http/options.ts'
import { INFO } from './scripted.ts'

export const ORIGIN = 'http://127.0.0.1:8000'

export interface Mounted {
  readonly server: McpServer
  readonly fetch: Fetch
  readonly requests: Request[]
  /** The method and path of each request, and the status of its reply. */
  readonly seen: string[]
  readonly connect: (
    options?: ClientOptions,
    http?: HttpOptions & { readonly path?: string },
  ) => Promise<Client>
}

/**
 * Mounts a server with HTTP semantics, but without sockets. The server and its clients are closed at the end of
 * the test.
 */
export function mount(server: McpServer, options: EndpointOptions = {}): Mounted {
  const handler = toFetch(server, options)
  onTestFinished(() => handler.close({ deadline: 0 }))
  const requests: Request[] = []
  const seen: string[] = []
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, { ...init, ...(init.body && { duplex: 'half' }) })
    requests.push(request)
    const response = await handler(request)
    seen.push(`${init.method} ${new URL(url).pathname} ${response.status}`)
    return response
  }
  return {
    server,
    fetch,
    requests,
    seen,
    connect(clientOptions = {}, { path = '/mcp', ...rest } = {}) {
      const client = new Client(INFO, { eras: false, ...clientOptions })
      onTestFinished(() => client.close())
      return client.connect(http(ORIGIN + path, { fetch, reconnect: { initialDelayMs: 1 }, ...rest }))
    },
  }
}
