import { McpServer } from '@jetway/core'
import { bearer } from '@jetway/core/http'
import { z } from 'zod'

/** Checks tokens in the same way on every host. */
// #region authenticate
export const authenticate = bearer({
  verify: (token) => (token === process.env['TOKEN'] ? { principal: 'ada' } : undefined),
})
// #endregion

/** The server that every recipe serves. Some frameworks create it themselves. */
export function createServer(): McpServer {
  const server = new McpServer({ name: 'recipes', version: '1.0.0' })
  let abandoned = 0

  server.addTool({
    name: 'measure',
    description: 'Counts the characters of a text',
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ characters: z.int(), principal: z.string() }),
    handler: ({ text }, ctx) => ({ characters: text.length, principal: ctx.auth?.principal ?? 'nobody' }),
  })

  server.addTool({
    name: 'count',
    description: 'Counts, and reports each number as progress',
    inputSchema: z.object({ to: z.int().max(100), everyMs: z.int().max(1_000) }),
    outputSchema: z.object({ counted: z.int() }),
    handler: async ({ to, everyMs }, ctx) => {
      ctx.signal.addEventListener('abort', () => abandoned++)
      for (let number = 1; number <= to && !ctx.signal.aborted; number++) {
        await ctx.progress(number, to)
        await new Promise((resolve) => setTimeout(resolve, everyMs))
      }
      return { counted: to }
    },
  })

  server.addTool({
    name: 'abandoned',
    description: 'How many counts ended because their client had disconnected',
    outputSchema: z.object({ count: z.int() }),
    handler: () => ({ count: abandoned }),
  })

  return server
}

export const server: McpServer = createServer()
