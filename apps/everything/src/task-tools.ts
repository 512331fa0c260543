import { McpError, type McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

/** Tools whose calls may run as tasks, under the names that the conformance suite asks for. */
export function addTaskTools(server: McpServer): void {
  server.addTool({
    name: 'slow_compute',
    description: 'Takes the seconds that it is given',
    taskSupport: 'optional',
    immediateResponse: 'The computation has begun',
    inputSchema: z.object({ seconds: z.number().min(0).max(300).default(1), label: z.string().default('') }),
    async handler({ seconds, label }, ctx) {
      await ctx.progress(0, seconds, `Computing ${label}`)
      await pause(seconds * 1000, ctx.signal)
      return `Computed ${label} in ${seconds} s`
    },
  })

  server.addTool({
    name: 'failing_job',
    description: 'Fails as a tool does',
    taskSupport: 'optional',
    handler: () => {
      throw new ToolError('The job has failed')
    },
  })

  server.addTool({
    name: 'protocol_error_job',
    description: 'Fails with a JSON-RPC error',
    taskSupport: 'optional',
    handler: () => {
      throw new McpError(-32603, 'The job has broken down')
    },
  })

  server.addTool({
    name: 'confirm_delete',
    description: 'Asks a person in its middle; must be called as a task where tasks are there',
    taskSupport: 'required',
    inputSchema: z.object({ filename: z.string().default('notes.txt') }),
    async handler({ filename }, ctx) {
      const { confirm } = await ctx.elicit(`Delete ${filename}?`, z.object({ confirm: z.boolean() }))
      return confirm ? `Deleted ${filename}` : `Kept ${filename}`
    },
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
