import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { z } from 'zod'

// #region server
export const server = new McpServer({ name: 'weather', version: '1.0.0' })

server.addTool({
  name: 'get_weather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string().describe('The name of the city') }),
  handler: ({ city }) => `Sunny in ${city}`,
})
// #endregion

export async function createApp(): Promise<FastifyInstance> {
  // #region mount
  const app = Fastify()
  await app.register(mcp, {
    server,
    path: '/mcp/streamable',
    legacySse: true,
    streams: { keepAlive: { mode: 'ping', intervalMs: 30_000 } },
  })
  // #endregion
  return app
}
