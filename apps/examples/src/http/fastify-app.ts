import cors from '@fastify/cors'
import { McpServer } from '@jetway/core'
import { bearer } from '@jetway/core/http'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'

// #region server
interface Locals {
  requestId: string
}

const server = new McpServer<Locals>({ name: 'orders', version: '1.0.0' })
server.addTool({
  name: 'whoami',
  description: 'Says who is calling, and under which request id',
  handler: (_, ctx) => `${ctx.auth?.principal} in request ${ctx.locals.requestId}`,
})
// #endregion

// #region app
const app = Fastify({
  logger: true,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 5_000 },
})

await app.register(cors, {
  origin: 'https://app.example.com',
  methods: ['GET', 'POST', 'DELETE'],
  exposedHeaders: ['mcp-session-id', 'www-authenticate', 'dpop-nonce'],
})
app.addHook('onRequest', async (request, reply) => {
  reply.header('x-request-id', request.id)
})
app.get('/health', () => ({ ok: true }))
// #endregion

// #region mount
await app.register(mcp, {
  server,
  prefix: '/api',
  path: '/mcp',
  legacySse: true,
  allowedOrigins: ['https://app.example.com'],
  authenticate: bearer({
    verify: (token) => (token === process.env.TOKEN ? { principal: 'ada' } : undefined),
  }),
  locals: (request): Locals => ({ requestId: request.id }),
})
// #endregion

await app.listen({ port: Number(process.env.PORT ?? 3000) })
