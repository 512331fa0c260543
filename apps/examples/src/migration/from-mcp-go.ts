import { McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

// #region server
export const server = new McpServer({ name: 'calculator', version: '1.0.0' })

server.addTool({
  name: 'calculate',
  description: 'Does basic arithmetic',
  inputSchema: z.object({
    operation: z.enum(['add', 'subtract', 'multiply', 'divide']).describe('What to do'),
    x: z.number().describe('The first number'),
    y: z.number().describe('The second number'),
  }),
  handler({ operation, x, y }) {
    if (operation === 'divide' && y === 0) throw new ToolError('Division by zero')
    const results = { add: x + y, subtract: x - y, multiply: x * y, divide: x / y }
    return results[operation].toFixed(2)
  },
})
// #endregion
