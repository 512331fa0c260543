import { once } from 'node:events'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { RevisionDate } from '@jetway/core/protocol'
import { mcp } from '@jetway/fastify'
import { redis } from '@jetway/redis'
import Fastify from 'fastify'
import { createEverythingServer } from '../../src/server.ts'

/** Serves the server with every feature as one of several processes that share Redis. */
const { values } = parseArgs({
  options: {
    'page-size': { type: 'string' },
    revisions: { type: 'string' },
    response: { type: 'string', default: 'auto' },
  },
})
const shared = redis({ url: process.env['REDIS_URL'] ?? '', namespace: 'everything' })
const pageSize = values['page-size']
const server = createEverythingServer({
  shared,
  // Because they share this key, each process can decrypt states from the other processes.
  requestState: { keys: [Buffer.alloc(32, 'the same at all processes')] },
  ...(pageSize !== undefined && { limits: { pageSize: Number(pageSize) } }),
  ...(values.revisions !== undefined && { revisions: values.revisions.split(',') as RevisionDate[] }),
})
const legacySse = server.runtime.revisions.some(({ era }) => era === 'legacy')

const app = Fastify({ forceCloseConnections: true })
await app.register(mcp, { server, legacySse, response: values.response as 'auto' | 'sse' })
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
await shared.ready()
console.error(JSON.stringify({ ready: true, url: `${origin}/mcp` }))

await once(process, 'SIGTERM')
await server.close({ deadline: 1_000 })
await app.close()
