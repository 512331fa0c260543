import type { FastifyInstance } from 'fastify'
import { originOf } from '@jetway-apps/test-support/http'
import { onTestFinished } from 'vitest'

/** Listens on a free port of the loopback and closes with the test. */
export async function listen(app: FastifyInstance): Promise<string> {
  onTestFinished(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  return originOf(app.server)
}
