import { McpServer } from '@jetway/core'

/** A description so long that the endpoint sends the list as bytes instead of a string. */
export const DESCRIPTION: string = 'aä€😀 '.repeat(2_000)

/** Creates the server for most cases. It has a tool that returns immediately, and one that reports progress first. */
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

/** Creates a server with a tool that reports progress once, and then waits for `release()`. */
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

/** Creates a server whose tool returns the locals and the principal that the mount passed with the request. */
export function seeing(): McpServer {
  const server = new McpServer({ name: 'contract', version: '1.0.0' })
  server.addTool({
    name: 'seen',
    handler: (_args, { locals, auth }) => JSON.stringify({ locals, auth: auth?.principal }),
  })
  return server
}
