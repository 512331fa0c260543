import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { onTestFinished } from 'vitest'

type FetchHandler = (request: Request) => Response | Promise<Response>

export const originOf = (http: { address(): unknown }): string =>
  `http://127.0.0.1:${(http.address() as AddressInfo).port}`

/** Serves a fetch handler on its own port, until it is released. */
export async function listen(
  fetch: FetchHandler,
): Promise<{ readonly origin: string; readonly release: () => void }> {
  const http = createAdaptorServer({ fetch }) as Server
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    origin: originOf(http),
    release: () => {
      http.closeAllConnections()
      http.close()
    },
  }
}

/** The same until the end of the test. Returns the origin. */
export async function listenForTest(fetch: FetchHandler): Promise<string> {
  const { origin, release } = await listen(fetch)
  onTestFinished(release)
  return origin
}
