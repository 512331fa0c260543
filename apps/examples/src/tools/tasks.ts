import { McpServer, tasks } from '@jetway/core'
import { z } from 'zod'

// #region extension
export const server = new McpServer(
  { name: 'tasks', version: '1.0.0' },
  { extensions: [tasks()], tasks: { defaultTtlMs: 30 * 60_000, maxTtlMs: 2 * 3_600_000 } },
)
// #endregion

// #region task
const files = ['a.csv', 'b.csv', 'c.csv']

async function convert(_file: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
}

server.addTool({
  name: 'convert_files',
  description: 'Converts every file of a folder',
  inputSchema: z.object({ folder: z.string() }),
  taskSupport: 'optional',
  immediateResponse: 'The conversion has begun. Go on with something else meanwhile.',
  async handler({ folder }, ctx) {
    for (const [i, file] of files.entries()) {
      await convert(`${folder}/${file}`, ctx.signal)
      await ctx.progress(i + 1, files.length, `Converted ${file}`)
    }
    return `Converted ${files.length} files`
  },
})
// #endregion

// #region asks
server.addTool({
  name: 'publish_report',
  description: 'Writes a report, and publishes it if somebody approves of it',
  taskSupport: 'required',
  async handler(_args, ctx) {
    const report = `Report of task ${ctx.task?.id ?? 'none'}`
    const { publish } = await ctx.elicit(`Publish "${report}"?`, z.object({ publish: z.boolean() }))
    return publish ? 'Published' : 'Kept for now'
  },
})
// #endregion
