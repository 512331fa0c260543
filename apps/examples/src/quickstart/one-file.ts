import { McpServer } from '@jetway/core'
import { serveStdio } from '@jetway/stdio'
import { z } from 'zod'

const server = new McpServer({ name: 'dice', version: '1.0.0' })
server.addTool({
  name: 'roll',
  description: 'Rolls a die',
  outputSchema: z.object({ rolled: z.int().min(1).max(6) }),
  handler: () => ({ rolled: 1 + Math.floor(Math.random() * 6) }),
})
await serveStdio(server)
