/**
 * An app in its own process, for socket tests, with the socket limits and graceful shutdown of the apps. Start
 * it with `--expose-gc`.
 */
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { runApp } from '@jetway-apps/runner'
import { McpServer } from '@jetway/core'
import * as z from 'zod'

/** The memory and open resources of the server. */
export interface Measured {
  /** The resident memory after a garbage collection, in bytes. */
  readonly rss: number
  readonly openStreams: number
  readonly callsInFlight: number
  readonly queuedBytes: number
}

const stopped = new Promise((resolve) => process.once('SIGTERM', resolve))
const CHUNK = 'x'.repeat(65_536)

await runApp({
  name: 'socket-target',
  entry: import.meta.url,
  argv: process.argv.slice(2),
  sample: { tool: 'name', arguments: {} },
  create() {
    const server = new McpServer({ name: 'socket-target', version: '1.0.0' })
    server.addTool({ name: 'name', handler: () => 'socket-target' })
    server.addTool({
      name: 'outlast',
      description: 'Ends this many ms after the stop signal.',
      inputSchema: z.object({ ms: z.number() }),
      async handler({ ms }, ctx) {
        await ctx.progress(1)
        await stopped
        await delay(ms)
        return `outlasted ${ms}`
      },
    })
    server.addTool({
      name: 'large',
      inputSchema: z.object({ bytes: z.number() }),
      handler: ({ bytes }) => 'x'.repeat(bytes),
    })
    server.addTool({
      name: 'flood',
      inputSchema: z.object({ chunks: z.number() }),
      async handler({ chunks }, ctx) {
        for (let chunk = 1; chunk <= chunks; chunk++) await ctx.progress(chunk, chunks, CHUNK)
        return 'flooded'
      },
    })
    server.addTool({
      name: 'notify',
      handler() {
        server.notify.toolsChanged()
        return 'notified'
      },
    })
    server.addTool({ name: 'sockets', handler: () => String(sockets()) })
    server.addTool({ name: 'measure', handler: () => JSON.stringify(measure(server)) })
    return server
  },
})

function measure(server: McpServer): Measured {
  globalThis.gc?.()
  const { openStreams, callsInFlight, queuedBytes } = server.stats()
  return { rss: process.memoryUsage.rss(), openStreams, callsInFlight, queuedBytes }
}

const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
