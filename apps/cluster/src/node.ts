/** Runs one process of the cluster. Every process can serve any request. */
import process from 'node:process'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import { redis } from '@jetway/redis'
import Fastify from 'fastify'
import { addTools } from './tools.ts'

// #region server
const { REDIS_URL = 'redis://127.0.0.1:6379', PUBLIC_URL = 'http://127.0.0.1:3000/mcp' } = process.env
const { STATE_KEYS = '', HOST = '127.0.0.1', PORT = '3000' } = process.env

const shared = redis({ url: REDIS_URL, namespace: 'prod' })
const requestState = { keys: STATE_KEYS.split(',') }
const server = new McpServer({ name: 'acme', version: '1.0.0' }, { shared, requestState })
// #endregion
addTools(server)

// #region serve
const app = Fastify({ logger: true, keepAliveTimeout: 72_000 })
await app.register(mcp, { server, publicUrl: PUBLIC_URL, legacySse: true, health: true })
await app.listen({ host: HOST, port: Number(PORT) })

process.once('SIGTERM', () => {
  void server.close({ deadline: 20_000 }).then(() => app.close())
})
// #endregion

// `npm run cluster` and the tests read the URL from this line, because the port may be any free port.
console.log(JSON.stringify({ ready: true, url: `${app.listeningOrigin}/mcp` }))
