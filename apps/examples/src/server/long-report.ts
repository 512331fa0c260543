import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { z } from 'zod'

/** A placeholder for work that takes minutes. */
async function crunch(month: number): Promise<number> {
  return month * 100
}

// #region poll
const server = new McpServer({ name: 'reports', version: '1.0.0' })

server.addTool({
  name: 'yearly_report',
  description: 'Adds up a year, which takes minutes',
  inputSchema: z.object({ year: z.number() }),
  async handler({ year }, ctx) {
    ctx.closeConnection({ retryMs: 5_000 })
    let sum = 0
    for (let month = 1; month <= 12; month++) {
      sum += await crunch(month)
      await ctx.progress(month, 12)
    }
    return `${year}: ${sum}`
  },
})
// #endregion

export const app = Fastify()

// #region limits
await app.register(mcp, {
  server,
  streams: { retryMs: 2_000 },
  limits: { outboundBytes: 1_048_576 },
})
// #endregion
