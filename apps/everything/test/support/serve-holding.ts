import { setTimeout as delay } from 'node:timers/promises'
import process from 'node:process'
import { runApp } from '@jetway-apps/runner'
import { McpServer } from '@jetway/core'
import { z } from 'zod'

// A server whose calls end one after the other, after its stop signal.

const EXPECTED = 50
const STEP_MS = 20

const told = new Promise((resolve) => process.once('SIGTERM', resolve))
let running = 0

await runApp({
  name: 'holding',
  entry: import.meta.url,
  argv: process.argv.slice(2),
  sample: { tool: 'hold', arguments: {} },
  create() {
    const server = new McpServer({ name: 'holding', version: '1.0.0' })
    server.addTool({
      name: 'hold',
      inputSchema: z.object({ place: z.number() }),
      async handler({ place }, ctx) {
        await ctx.progress(1)
        if (++running === EXPECTED) console.error('all are running')
        await told
        await delay(place * STEP_MS)
        return `answer ${place}`
      },
    })
    return server
  },
})
