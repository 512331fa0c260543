/**
 * Serves the server from the guide on Fastify. Exports its spans, and stops on SIGTERM as described in the
 * guide.
 */
import process from 'node:process'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { tracing } from '../../src/server/instrumentation.ts'
import { server, stop } from '../../src/server/telemetry.ts'

const app = Fastify()
await app.register(mcp, { server })
const url = await app.listen({ port: 0, host: '127.0.0.1' })
process.once('SIGTERM', () => {
  void stop(tracing).then(() => app.close())
})
console.log(JSON.stringify({ ready: true, url: `${url}/mcp` }))
