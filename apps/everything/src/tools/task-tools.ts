import { elicit, McpError, type McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

/** Tools whose calls may run as tasks, with the names that the conformance suite expects. */
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
    description: 'Fails as a tool does; must be called as a task where tasks are there',
    taskSupport: 'required',
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

  addAskingTasks(server)
}

function addAskingTasks(server: McpServer): void {
  server.addTool({
    name: 'confirm_delete',
    description: 'Asks a person in its middle',
    taskSupport: 'required',
    inputSchema: z.object({ filename: z.string().default('notes.txt') }),
    async handler({ filename }, ctx) {
      const { confirm } = await ctx.elicit(`Delete ${filename}?`, z.object({ confirm: z.boolean() }))
      return confirm ? `Deleted ${filename}` : `Kept ${filename}`
    },
  })

  server.addTool({
    name: 'multi_input',
    description: 'Asks two people at once',
    taskSupport: 'required',
    async handler(_args, ctx) {
      const ask = (who: string): Promise<{ name: string }> =>
        ctx.elicit(`What is the name of ${who}?`, z.object({ name: z.string() }))
      const answers = await Promise.all([ask('the first'), ask('the second')])
      return answers.map(({ name }) => name).join(' and ')
    },
  })

  server.addTool({
    name: 'test_tool_with_task',
    description: 'Asks for a name, and begins when it has it',
    taskSupport: 'required',
    asks: { user_name: () => elicit('What is your name?', z.object({ name: z.string() })) },
    handler: (_args, ctx) => `Hello, ${ctx.answers.user_name.name}!`,
  })

  server.addTool({
    name: 'greet',
    description: 'Greets at once; never a task',
    inputSchema: z.object({ name: z.string() }),
    handler: ({ name }) => `Hello, ${name}!`,
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
