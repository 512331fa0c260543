import { once } from 'node:events'
import { createServer, type RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  readonly http: Server
  readonly origin: string
  readonly port: number
  /** Closes the server together with all its connections. */
  readonly release: () => void
}

export const portOf = (http: { address(): unknown }): number => (http.address() as AddressInfo).port

export const originOf = (http: { address(): unknown }): string => `http://127.0.0.1:${portOf(http)}`

/** Listens on loopback, by default on a free port. */
export async function listen(serves: RequestListener | Server, port = 0): Promise<Listening> {
  const http = serves instanceof Server ? serves : createServer(serves)
  await once(http.listen(port, '127.0.0.1'), 'listening')
  return {
    http,
    origin: originOf(http),
    port: portOf(http),
    release() {
      http.closeAllConnections()
      http.close()
    },
  }
}

/** Returns a free port on loopback. */
export async function freePort(): Promise<number> {
  const http = createServer()
  const { port } = await listen(http)
  await once(http.close(), 'close')
  return port
}
