import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify, { type FastifyInstance } from 'fastify'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

export async function createApp(): Promise<FastifyInstance> {
  // #region mount
  const app = Fastify()
  await app.register(mcp, { server, path: '/mcp', legacySse: true })
  // #endregion
  return app
}
