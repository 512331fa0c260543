import { randomInt } from 'node:crypto'
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

/**
 * Returns a port that nothing uses. It is below the range from which the system assigns ports, because
 * another test would soon be assigned a port from that range.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_768)
    const http = createServer().listen(port, '127.0.0.1')
    const isFree = await once(http, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await once(http.close(), 'close')
    return port
  }
  throw new Error('No port is free')
}
