import underPressure from '@fastify/under-pressure'
import { argv, stdout } from 'node:process'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import * as z from 'zod'

/**
 * A server with a tool `block` that blocks the event loop. With the argument `shed`, the app refuses requests
 * after a block.
 */
const server = new McpServer({ name: 'blocking', version: '1.0.0' })
server.addTool({ name: 'echo', handler: () => 'answered' })
server.addTool({
  name: 'block',
  inputSchema: z.object({ ms: z.number() }),
  handler({ ms }) {
    stdout.write('blocking\n')
    const end = performance.now() + ms
    while (performance.now() < end);
    return 'done'
  },
})

const app = Fastify()
// After the event loop was blocked, the app refuses requests for one interval. On a busy machine, the interval
// must be long enough for all waiting requests to be read.
if (argv[2] === 'shed')
  await app.register(underPressure, { maxEventLoopDelay: 60, sampleInterval: 500, retryAfter: 1 })
await app.register(mcp, { server })
stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
