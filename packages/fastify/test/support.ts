import { originOf } from '@jetway-apps/test-support/http'
import Fastify, { type FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { mcp } from '../src/index.ts'

/** Listens on a free port of the loopback and closes with the test. */
export async function listen(app: FastifyInstance): Promise<string> {
  onTestFinished(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  return originOf(app.server)
}

/** The same, after the app has got the server, each with its own options. */
export async function mounted(
  mounts: object | readonly object[],
  app: FastifyInstance = Fastify(),
): Promise<string> {
  for (const options of [mounts].flat()) app.register(mcp, options as never)
  return listen(app)
}
