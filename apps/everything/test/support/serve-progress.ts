import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { runApp } from '@jetway-apps/runner'
import { McpServer } from '@jetway/core'

/** Serves tools that report progress five times. They send the last report immediately before they return. */
await runApp({
  name: 'progress',
  entry: import.meta.url,
  argv: process.argv.slice(2),
  sample: { tool: 'at_once', arguments: {} },
  create: () => {
    const server = new McpServer({ name: 'progress', version: '1.0.0' })
    server.addTool({
      name: 'at_once',
      async handler(_args, ctx) {
        for (let step = 1; step <= 5; step++) await ctx.progress(step, 5)
        return 'done'
      },
    })
    server.addTool({
      name: 'step_by_step',
      async handler(_args, ctx) {
        for (let step = 1; step <= 5; step++) {
          await delay(1)
          await ctx.progress(step, 5)
        }
        return 'done'
      },
    })
    server.addTool({
      name: 'without_await',
      handler(_args, ctx) {
        for (let step = 1; step <= 5; step++) void ctx.progress(step, 5)
        return 'done'
      },
    })
    return server
  },
})
