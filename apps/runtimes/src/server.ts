import { McpServer } from '@jetway/core'
import { z } from 'zod'

// #region server
/** The name and version of a runtime. */
export interface Locals {
  readonly runtime: { readonly name: string; readonly version: string }
}

/** Creates the server, which does not depend on the runtime. Some runtimes forbid code generation. */
export const server = new McpServer<Locals>({ name: 'runtimes', version: '1.0.0' })

server.addTool({
  name: 'where',
  description: 'Which runtime this is',
  outputSchema: z.object({ name: z.string().min(1), version: z.string().regex(/^\d+\./) }),
  handler: (_, ctx) => ctx.locals.runtime,
})
// #endregion

server.addTool({
  name: 'divide',
  description: 'Divides whole numbers',
  inputSchema: z.object({ dividend: z.number().int(), divisor: z.number().int() }),
  outputSchema: z.object({ quotient: z.number().int() }),
  // Output validation must reject a quotient that is not an integer.
  handler: ({ dividend, divisor }) => ({ quotient: dividend / divisor }),
})

let abandoned = 0

server.addTool({
  name: 'count',
  description: 'Counts, and reports each number as progress',
  inputSchema: z.object({ to: z.number().int().max(100), everyMs: z.number().int().max(1_000) }),
  outputSchema: z.object({ counted: z.number().int() }),
  handler: async ({ to, everyMs }, ctx) => {
    ctx.signal.addEventListener('abort', () => abandoned++)
    for (let number = 1; number <= to && !ctx.signal.aborted; number++) {
      await ctx.progress(number, to)
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
    return { counted: to }
  },
})

server.addTool({
  name: 'abandoned',
  description: 'How many counts were given up by their clients',
  outputSchema: z.object({ count: z.number().int() }),
  handler: () => ({ count: abandoned }),
})

const NOTE = 'runtimes://note'
let note = 'empty'

server.addResource({ uri: NOTE, name: 'note', handler: () => note })

server.addTool({
  name: 'write_note',
  description: 'Writes the note, and notifies its subscribers',
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }) => {
    note = text
    server.notify.resourceUpdated(NOTE)
    return 'Written'
  },
})
