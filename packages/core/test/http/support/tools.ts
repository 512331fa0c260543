import type { McpServer } from '../../../src/index.ts'

/**
 * Adds a tool that waits for the test.
 * @param aborted - receives the request ids of aborted calls
 */
export function addHold(server: McpServer, held: Promise<void>, aborted: string[]): void {
  server.addTool({
    name: 'hold',
    async handler(_args, ctx) {
      ctx.signal.addEventListener('abort', () => aborted.push(String(ctx.requestId)))
      await held
      return 'held'
    },
  })
}

/** Adds a tool that returns its call's `locals` and `auth`. */
export function addMounted(server: McpServer): void {
  server.addTool({ name: 'mounted', handler: (_args, ctx) => JSON.stringify([ctx.locals, ctx.auth]) })
}
