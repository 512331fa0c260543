import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import { redis } from '@jetway/redis'
import Fastify from 'fastify'
import { z } from 'zod'

// #region shared
const shared = redis({ url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', namespace: 'prod' })
const server = new McpServer({ name: 'acme', version: '1.0.0' }, { shared })
// #endregion

server.addTool({
  name: 'count',
  description: 'Counts slowly',
  inputSchema: z.object({ to: z.number().int().max(100) }),
  async handler({ to }, ctx) {
    for (let i = 1; i <= to; i++) {
      await ctx.progress(i, to)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return `Counted to ${to} in process ${process.pid}`
  },
})

// #region mount
const app = Fastify({ logger: true, keepAliveTimeout: 72_000 })
await app.register(mcp, { server, health: true })
await app.listen({ host: process.env.HOST ?? '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
// #endregion

// #region stop
process.once('SIGTERM', () => {
  void server.close({ deadline: 20_000 }).then(() => app.close())
})
// #endregion
