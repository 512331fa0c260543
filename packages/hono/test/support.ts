import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { listen as listenOn } from '@jetway-apps/test-support/http'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { mcp } from '../src/index.ts'

/** Listens on a free port of the loopback and closes with the test. */
export async function listen(app: Pick<Hono, 'fetch'>): Promise<string> {
  const { origin, release } = await listenOn(createAdaptorServer({ fetch: app.fetch }) as Server)
  onTestFinished(release)
  return origin
}

/** The same, after the app has got the server, each with its own options. */
export function mounted(
  mounts: Parameters<typeof mcp>[0] | readonly Parameters<typeof mcp>[0][],
  app: Hono = new Hono(),
): Promise<string> {
  for (const options of [mounts].flat()) app.use(mcp(options))
  return listen(app)
}
