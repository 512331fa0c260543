import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { mcp } from '@jetway/fastify'
import { redis } from '@jetway/redis'
import Fastify from 'fastify'
import { ready } from '../serving/control.ts'
import { createServer, mountOptions } from '../serving/jetway.ts'

const { values } = parseArgs({
  options: { redis: { type: 'string' }, 'verify-ms': { type: 'string' }, stream: { type: 'boolean' } },
})
const { redis: url = '', 'verify-ms': verifyMs } = values
const shared = redis({ url, namespace: 'bench' })
const server = createServer(undefined, { shared })
const app = Fastify()
const sessions = verifyMs === undefined ? {} : { sessions: { verifyMs: Number(verifyMs) } }
await app.register(mcp, { server, path: '/mcp', ...sessions, ...mountOptions() })
await app.listen({ port: 0, host: '127.0.0.1' })
await shared.ready()
ready((app.server.address() as AddressInfo).port, () => server.notify.toolsChanged())
