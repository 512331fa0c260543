import cors from '@fastify/cors'
import jwt from '@fastify/jwt'
import { McpServer } from '@jetway/core'
import { mcp, type McpPluginOptions } from '@jetway/fastify'
import Fastify from 'fastify'

interface Locals {
  requestId: string
}

const server = new McpServer<Locals>({ name: 'orders', version: '1.0.0' })
server.addTool({
  name: 'whoami',
  description: 'Says who is calling, with which scopes, and under which request id',
  handler: (_, { auth, locals }) =>
    `${auth?.principal} (${auth?.scopes?.join(', ')}) in request ${locals.requestId}`,
})

const app = Fastify({ logger: true })
await app.register(cors, {
  origin: 'https://app.example.com',
  methods: ['GET', 'POST', 'DELETE'],
  exposedHeaders: ['mcp-session-id', 'www-authenticate', 'dpop-nonce'],
})

// #region jwt
declare module '@fastify/jwt' {
  interface FastifyJWT {
    user: { sub: string; exp: number; scope: string }
  }
}

await app.register(jwt, { secret: process.env.JWT_SECRET ?? '' })

const options = {
  server,
  allowedOrigins: ['https://app.example.com'],
  authInfo: ({ user }) => ({ principal: user.sub, scopes: user.scope.split(' '), expiresAt: user.exp }),
  locals: ({ id }) => ({ requestId: id }),
} satisfies McpPluginOptions<Locals>
await app.register(async (scope) => {
  scope.addHook('onRequest', (request) => request.jwtVerify())
  await scope.register(mcp, options)
})
// #endregion

await app.listen({ port: Number(process.env.PORT ?? 3000) })
