import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

const app = Fastify({ logger: true })
await app.register(mcp, { server, path: '/mcp' })
await app.listen({ port: Number(process.env.PORT ?? 3000) })
