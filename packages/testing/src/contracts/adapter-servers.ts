import { McpServer } from '@jetway/core'

/** So long that the endpoint answers a list which has it with bytes in the place of text. */
export const DESCRIPTION: string = 'aä€😀 '.repeat(2_000)

/** What most cases are served: a tool that answers at once, and one that reports before. */
export function createServer(): McpServer {
  const server = new McpServer({ name: 'contract', version: '1.0.0' })
  server.addTool({
    name: 'echo',
    description: DESCRIPTION,
    inputSchema: { type: 'object' },
    handler: (args: Record<string, unknown>) => String(args['text']),
  })
  server.addTool({
    name: 'report',
    inputSchema: { type: 'object' },
    async handler(args: Record<string, unknown>, ctx) {
      const text = String(args['text'])
      const times = Number(args['times'])
      for (let step = 1; step <= times; step++) await ctx.progress(step, times, text)
      return text
    },
  })
  return server
}

/** A server with a tool that reports once, then waits until it is let go. */
export function holding(): {
  readonly server: McpServer
  readonly release: () => void
  readonly calls: () => number
} {
  const server = new McpServer({ name: 'contract', version: '1.0.0' })
  let release = (): void => {}
  let calls = 0
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  server.addTool({
    name: 'hold',
    async handler(args: Record<string, unknown>, ctx) {
      calls++
      if (args['reports'] === true) await ctx.progress(1)
      await released
      return 'released'
    },
    inputSchema: { type: 'object' },
  })
  return { server, release, calls: () => calls }
}

/** A server whose tool tells what the mount knows of the request. */
export function seeing(): McpServer {
  const server = new McpServer({ name: 'contract', version: '1.0.0' })
  server.addTool({
    name: 'seen',
    handler: (_args, { locals, auth }) => JSON.stringify({ locals, auth: auth?.principal }),
  })
  return server
}
