/** The server for the soak test. It has every feature, and a route that reports its open resources. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { stdout } from 'node:process'
import { type Logger, McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import * as z from 'zod'

const SILENT: Logger = { error() {}, warn() {}, info() {}, debug() {} }
const inputSchema = z.object({ text: z.string() })

const server = new McpServer({ name: 'soak', version: '1.0.0' }, { logger: SILENT })
server.addTool({ name: 'echo', inputSchema, handler: ({ text }) => text })
server.addTool({
  name: 'report',
  inputSchema,
  async handler({ text }, ctx) {
    for (let step = 1; step <= 5; step++) await ctx.progress(step, 5)
    return text
  },
})
server.addTool({ name: 'fail', handler: () => Promise.reject(new Error('never shown')) })
server.addTool({ name: 'job', taskSupport: 'optional', inputSchema, handler: ({ text }) => text })
server.addResourceTemplate({ uriTemplate: 'note://{id}', name: 'note', handler: ({ id }) => id })
server.addPrompt({ name: 'ask', argsSchema: z.object({ about: z.string() }), handler: ({ about }) => about })

const app = Fastify({ requestTimeout: 30_000 })
await app.register(mcp, {
  server,
  legacySse: true,
  // Clients abandon many sessions, so these must expire quickly.
  sessions: { ttlMs: 5_000, uninitializedTtlMs: 2_000 },
})

const NS_PER_MS = 1e6
const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()

/** Collects garbage. The pause that this causes is excluded from the measured delays. */
app.get('/held', async () => {
  const delayMs = delay.percentile(99) / NS_PER_MS
  delay.disable()
  // Two garbage collections are needed, because the first one only queues the work of finalizers.
  for (let times = 0; times < 2; times++) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  delay.enable()
  const { rss, heapUsed } = process.memoryUsage()
  const { percent } = cpu()
  return { rss, heapUsed, delayMs, percent, stats: server.stats() }
})

let last = { at: performance.now(), usage: process.cpuUsage() }
/** Returns how much of one processor this process has used since the last call, in percent. */
function cpu(): { readonly percent: number } {
  const [at, usage] = [performance.now(), process.cpuUsage()]
  const used = usage.user + usage.system - last.usage.user - last.usage.system
  const percent = used / 10 / (at - last.at)
  last = { at, usage }
  return { percent }
}

stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
