/**
 * Runs one process of a server that uses Redis and requires tokens from `ISSUER`. With `NONCE_KEY`, the tokens
 * must be bound to a key. Prints the URL as a line of JSON.
 */
import process from 'node:process'
import { oauth } from '@jetway/auth'
import { mcp } from '@jetway/fastify'
import { redis } from '@jetway/redis'
import Fastify from 'fastify'
import { McpServer } from '@jetway/core'

const { REDIS_URL = '', ISSUER = '', NONCE_KEY } = process.env
const server = new McpServer(
  { name: 'node', version: '1.0.0' },
  { shared: redis({ url: REDIS_URL, namespace: 'auth' }) },
)
server.addTool({
  name: 'who',
  handler: (_args, { auth }) => `${String(auth?.extra?.['subject'])} ${process.pid}`,
})
server.addTool({ name: 'write', scopes: ['files:write'], handler: () => 'written' })

const app = Fastify()
const dpop = NONCE_KEY === undefined ? 'off' : ({ mode: 'require', nonce: { keys: [NONCE_KEY] } } as const)
await app.register(mcp, { server, authenticate: oauth({ issuer: ISSUER, scopes: ['mcp'], dpop }) })
const address = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ ready: true, url: `${address}/mcp` }))
