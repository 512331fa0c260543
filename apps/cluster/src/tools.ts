import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { elicit, type McpServer } from '@jetway/core'
import { z } from 'zod'

/** Adds tools that show which process is running a call. */
export function addTools(server: McpServer): void {
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
        await ctx.progress(i, to, `Process ${process.pid}`)
        // Without the signal, a process that is stopping would continue to count.
        await delay(1_000, undefined, { signal: ctx.signal })
      }
      return `Process ${process.pid} counted to ${to}`
    },
  })

  server.addTool({
    name: 'greet',
    description: 'Asks for a name, whose answer may reach another process',
    asks: { who: () => elicit('Your name?', z.object({ name: z.string() })) },
    handler: (_args, { answers }) => `Hello, ${answers.who.name}, from process ${process.pid}`,
  })
}
