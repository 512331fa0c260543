import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { z } from 'zod'

const server = new McpServer({ name: 'dice', version: '1.0.0' })
server.addTool({
  name: 'roll_dice',
  description: 'Rolls dice and adds them up',
  inputSchema: z.object({ count: z.int().min(1).max(20).default(2) }),
  outputSchema: z.object({ rolls: z.array(z.int()), total: z.int() }),
  handler({ count }) {
    const rolls = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * 6))
    return { rolls, total: rolls.reduce((sum, roll) => sum + roll) }
  },
})

const app = Fastify({ logger: true })
await app.register(mcp, { server, path: '/mcp' })
await app.listen({ port: Number(process.env.PORT ?? 3000) })
