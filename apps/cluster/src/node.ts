/** One process of the cluster. Prints its URL as a line of JSON. */
import process from 'node:process'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import { redis } from '@jetway/redis'
import Fastify from 'fastify'
import { z } from 'zod'

const shared = redis({ url: process.env['REDIS_URL'] ?? '', namespace: 'cluster' })
const server = new McpServer({ name: 'cluster', version: '1.0.0' }, { shared })

server.addTool({
  name: 'who',
  description: 'The process that ran this call',
  handler: () => `Process ${process.pid}`,
})

server.addTool({
  name: 'count',
  description: 'Counts for some seconds, with progress',
  inputSchema: z.object({ to: z.number().int().max(60) }),
  async handler({ to }, ctx) {
    for (let i = 1; i <= to; i++) {
      await ctx.progress(i, to)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    return `Process ${process.pid} counted to ${to}`
  },
})

server.addTool({
  name: 'greet',
  description: 'Asks for a name, whose answer may reach another process',
  async handler(_args, ctx) {
    const { name } = await ctx.elicit('Your name?', z.object({ name: z.string() }))
    return `Hello, ${name}`
  },
})

const app = Fastify()
await app.register(mcp, { server, legacySse: true })
const address = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ ready: true, url: `${address}/mcp` }))
