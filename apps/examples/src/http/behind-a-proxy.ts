import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

const app = Fastify({ logger: true, keepAliveTimeout: 72_000 })
// #region mount
await app.register(mcp, {
  server,
  publicUrl: 'https://mcp.example.com/mcp',
  streams: { keepAlive: { intervalMs: 15_000 } },
})
// #endregion
await app.listen({ port: Number(process.env.PORT ?? 3000) })
