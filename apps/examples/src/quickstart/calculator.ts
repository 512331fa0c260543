import { McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

export const server = new McpServer({ name: 'calculator', version: '1.0.0' })

server.addTool({
  name: 'divide',
  description: 'Divides two numbers',
  inputSchema: z.object({ dividend: z.number(), divisor: z.number() }),
  outputSchema: z.object({ quotient: z.number() }),
  handler({ dividend, divisor }) {
    if (divisor === 0) throw new ToolError('Choose a divisor other than 0')
    return { quotient: dividend / divisor }
  },
})
