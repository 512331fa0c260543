import { once } from 'node:events'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { McpServer, tasks } from '@jetway/core'
import { bearer } from '@jetway/core/http'
import { mcp } from '@jetway/fastify'
import { redis } from '@jetway/redis'
import Fastify from 'fastify'
import { z } from 'zod'

/**
 * Runs one of several processes over Redis. The token of a request is its principal. All data for a caller
 * names its owner: the principal and the name of the client.
 */
const verifyMs = process.env['VERIFY_MS']
const ttlMs = process.env['SESSION_TTL_MS']
const skew = Number(process.env['CLOCK_SKEW_MS'] ?? 0)
const realNow = Date.now
Date.now = () => realNow() + skew
const sentinels = process.env['REDIS_SENTINELS']
const shared = redis({
  ...(sentinels === undefined
    ? { url: process.env['REDIS_URL'] ?? '' }
    : { sentinel: { name: process.env['REDIS_MASTER'] ?? '', urls: sentinels.split(',') } }),
  namespace: 'nodes',
})
const server = new McpServer(
  { name: 'nodes', version: '1.0.0' },
  { shared, extensions: [tasks()], limits: { running: 1_000, inFlight: 2_000 } },
)

interface Ctx {
  readonly auth?: { readonly principal?: string | undefined } | undefined
  readonly client: { readonly info?: { readonly name: string } | undefined }
}
const ownerOf = ({ auth, client }: Ctx): string => `<${auth?.principal}/${client.info?.name}>`
const report = (line: object): void => console.log(JSON.stringify(line))

server.addTool({
  name: 'echo',
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }, ctx) => `${ownerOf(ctx)} ${text}`,
})
server.addTool({
  name: 'large',
  inputSchema: z.object({ length: z.number() }),
  handler: ({ length }) => 'x'.repeat(length),
})
server.addTool({
  name: 'count',
  inputSchema: z.object({ to: z.number(), everyMs: z.number().default(0) }),
  async handler({ to, everyMs }, ctx) {
    for (let i = 1; i <= to; i++) {
      await ctx.progress(i, to, `${ownerOf(ctx)} ${i} of ${to}`)
      await delay(everyMs)
    }
    report({ counted: ctx.client.info?.name })
    return `${ownerOf(ctx)} counted to ${to}`
  },
})
server.addTool({
  name: 'burst',
  inputSchema: z.object({ to: z.number(), waits: z.boolean() }),
  async handler({ to, waits }, ctx) {
    for (let i = 1; i <= to; i++) {
      const sent = ctx.progress(i, to)
      if (waits) await sent
    }
    return 'sent all'
  },
})
server.addTool({
  name: 'ask',
  inputSchema: z.object({ text: z.string() }),
  async handler({ text }, ctx) {
    const { answer } = await ctx.elicit(`${ownerOf(ctx)} ${text}`, z.object({ answer: z.string() }))
    report({ answered: text, answer })
    return `${ownerOf(ctx)} ${text}: ${answer}`
  },
})
server.addTool({
  name: 'wait',
  inputSchema: z.object({ text: z.string() }),
  async handler({ text }, ctx) {
    const aborted = once(ctx.signal, 'abort')
    await ctx.progress(1, 2, `${ownerOf(ctx)} ${text}`)
    await aborted
    report({ cancelled: text })
    return text
  },
})
server.addTool({
  name: 'job',
  taskSupport: 'optional',
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }, ctx) => `${ownerOf(ctx)} ${text}`,
})
server.addTool({
  name: 'touch',
  inputSchema: z.object({ owner: z.string() }),
  handler: ({ owner }) => server.notify.resourceUpdated(`note://${owner}`),
})
server.addResourceTemplate({ uriTemplate: 'note://{owner}', name: 'note', handler: (_, ctx) => ownerOf(ctx) })

const app = Fastify({ forceCloseConnections: true })
await app.register(mcp, {
  server,
  legacySse: true,
  sessions: {
    maxPerPrincipal: 1_000,
    ...(verifyMs !== undefined && { verifyMs: Number(verifyMs) }),
    ...(ttlMs !== undefined && { ttlMs: Number(ttlMs) }),
  },
  authenticate: bearer({ verify: (principal) => ({ principal }) }),
})
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
await shared.ready()
console.error(JSON.stringify({ ready: true, url: `${origin}/mcp` }))

await once(process, 'SIGTERM')
await server.close({ deadline: 1_000 })
await app.close()
