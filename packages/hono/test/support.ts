import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { listen as listenOn } from '@jetway-apps/test-support/http'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { mcp } from '../src/index.ts'

/** Listens on a free loopback port until the end of the test. */
export async function listen(app: Pick<Hono, 'fetch'>): Promise<string> {
  const { origin, release } = await listenOn(createAdaptorServer({ fetch: app.fetch }) as Server)
  onTestFinished(release)
  return origin
}

/** Adds a mount for each options object to the app, and listens. */
export function mounted(
  mounts: Parameters<typeof mcp>[0] | readonly Parameters<typeof mcp>[0][],
  app: Hono = new Hono(),
): Promise<string> {
  for (const options of [mounts].flat()) app.use(mcp(options))
  return listen(app)
}
