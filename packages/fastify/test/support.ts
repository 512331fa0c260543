import { originOf } from '@jetway-apps/test-support/http'
import Fastify, { type FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { mcp } from '../src/index.ts'

/** Listens on a free loopback port until the end of the test. */
export async function listen(app: FastifyInstance): Promise<string> {
  onTestFinished(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  return originOf(app.server)
}

/** Adds a mount for each options object to the app, and listens. */
export async function mounted(
  mounts: object | readonly object[],
  app: FastifyInstance = Fastify(),
): Promise<string> {
  for (const options of [mounts].flat()) app.register(mcp, options as never)
  return listen(app)
}
