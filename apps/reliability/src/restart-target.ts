/**
 * The server for the restart tests. Its arguments are a port, and a file to which each run of a tool adds a
 * line. Another process with the same arguments can continue its sessions and the states of its calls.
 */
import { appendFileSync } from 'node:fs'
import process, { argv, stdout } from 'node:process'
import { elicit, inputRequired, type Logger, McpServer } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import * as z from 'zod'

const [, , port = '0', runs = ''] = argv
const SILENT: Logger = { error() {}, warn() {}, info() {}, debug() {} }
const keys = [new Uint8Array(32).fill(7)]
const OK = z.object({ ok: z.boolean() })
const inputSchema = z.object({ about: z.string() })
const ran = (what: string): void => appendFileSync(runs, `${what}\n`)

const server = new McpServer(
  { name: 'restart', version: '1.0.0' },
  { logger: SILENT, requestState: { keys }, limits: { pageSize: 2 } },
)
server.addTool({
  name: 'approve',
  inputSchema,
  async handler({ about }, ctx) {
    await ctx.elicit(about, OK)
    ran(`approved ${about}`)
    return about
  },
})
server.addTool({
  name: 'sample',
  inputSchema,
  async handler({ about }, ctx) {
    await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: about } }], maxTokens: 10 })
    ran(`sampled ${about}`)
    return about
  },
})
server.addTool({
  name: 'rounds',
  handler: (_args, { inputs }) => {
    if (inputs.state === undefined) return inputRequired({ ok: elicit('Sure?', OK) }, { state: 'asked' })
    ran('rounds')
    return 'answered'
  },
})
server.addTool({
  name: 'slow',
  inputSchema,
  async handler({ about }, ctx) {
    ran(`slow ${about}`)
    await ctx.progress(1, 2)
    return new Promise<string>(() => {})
  },
})
server.addTool({
  name: 'job',
  taskSupport: 'optional',
  handler() {
    ran('job')
    return new Promise<string>(() => {})
  },
})

const app = Fastify({ forceCloseConnections: true })
await app.register(mcp, { server, sessions: { seal: { keys } }, limits: { closeDeadlineMs: 100 } })
process.once('SIGTERM', () => void app.close())
stdout.write(`${await app.listen({ port: Number(port), host: '127.0.0.1' })}\n`)
