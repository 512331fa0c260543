/** The server for the fuzz tests. It serves over stdio, or over HTTP with the argument `http`. */
import { argv, stdout } from 'node:process'
import { type Logger, McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import { serveStdio } from '@jetway/stdio'
import Fastify from 'fastify'
import * as z from 'zod'

/** Logs nothing, because each of a million invalid inputs would produce a line. */
const SILENT: Logger = { error() {}, warn() {}, info() {}, debug() {} }

const server = new McpServer({ name: 'fuzz', version: '1.0.0' }, { logger: SILENT })
server.addTool({
  name: 'echo',
  inputSchema: z.object({ text: z.string().max(100), list: z.array(z.int()).optional() }),
  outputSchema: z.object({ text: z.string() }),
  handler: ({ text }) => ({ text }),
})
server.addTool({
  name: 'heap',
  async handler() {
    // Two collections are needed, because the first one only queues the work of finalizers.
    for (let times = 0; times < 2; times++) {
      globalThis.gc?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return String(process.memoryUsage().heapUsed)
  },
})
server.addResourceTemplate({ uriTemplate: 'file:///{path}', name: 'file', handler: ({ path }) => path })
server.addPrompt({ name: 'ask', argsSchema: z.object({ about: z.string() }), handler: ({ about }) => about })

if (argv[2] === 'http') {
  const app = Fastify()
  await app.register(mcp, { server, legacySse: true, sessions: { max: 1000, uninitializedTtlMs: 1000 } })
  stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
} else {
  await serveStdio(server)
}
