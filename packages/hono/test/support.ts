import { once } from 'node:events'
import { serve, type ServerType } from '@hono/node-server'
import { originOf } from '@jetway-apps/test-support/http'
import type { Hono } from 'hono'
import { onTestFinished } from 'vitest'

/** Listens on a free port of the loopback and closes with the test. */
export async function listen(app: Pick<Hono, 'fetch'>): Promise<{ url: string; server: ServerType }> {
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(async () => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: originOf(server), server }
}
