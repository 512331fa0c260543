import { McpServer, type MountHandle } from '@jetway/core'
import { mcp } from '@jetway/fastify'
import Fastify, { type FastifyInstance } from 'fastify'

/** A placeholder for your error tracker's client. */
export const tracked: { readonly error: unknown; readonly tags: Readonly<Record<string, string>> }[] = []
const tracker = {
  capture: (error: unknown, tags: Readonly<Record<string, string>>) => tracked.push({ error, tags }),
}

/** A placeholder for your tracer. */
export const traces: { readonly traceId: string; readonly sampled: boolean }[] = []

// #region errors
export const server = new McpServer(
  { name: 'shop', version: '1.0.0' },
  {
    onError(error, ctx, reference) {
      tracker.capture(error, { method: ctx.message.method, reference })
    },
  },
)
// #endregion

// #region trace
server.use('tools/call', async (ctx, next) => {
  const { traceId = 'none', sampled = false } = ctx.trace ?? {}
  traces.push({ traceId, sampled })
  return next()
})
// #endregion

server.addTool({
  name: 'fails',
  handler: () => {
    throw new Error('The database said no')
  },
})

// #region events
export const refusals = new Map<string, number>()

server.on('reject', ({ reason }) => refusals.set(reason, (refusals.get(reason) ?? 0) + 1))
// #endregion

export async function createApp(): Promise<FastifyInstance> {
  // #region mount
  const app = Fastify()
  let mount: MountHandle | undefined
  await app.register(mcp, { server, health: true, onMount: (handle) => void (mount = handle) })
  // #endregion

  // #region metrics
  app.get('/metrics', (_request, reply) => {
    const { refusals: refused, draining, ...gauges } = server.stats()
    const lines = Object.entries(gauges).map(([name, value]) => `mcp_${name} ${value}`)
    lines.push(`mcp_draining ${Number(draining)}`)
    for (const [reason, count] of Object.entries(refused))
      lines.push(`mcp_refusals_total{reason="${reason}"} ${count}`)
    return reply.type('text/plain; version=0.0.4').send(`${lines.join('\n')}\n`)
  })
  // #endregion

  // #region drain
  const stop = async (): Promise<void> => {
    await mount?.close({ deadline: 10_000 })
    await app.close()
  }
  // #endregion
  app.get('/stop', async () => void setImmediate(() => void stop()))
  return app
}
