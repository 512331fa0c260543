import { McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

// #region server
export const server = new McpServer({ name: 'shop', version: '1.0.0' })

server.addTool({
  name: 'price',
  description: 'The price of an article',
  inputSchema: z.object({ article: z.string() }),
  outputSchema: z.object({ price: z.number() }),
  handler({ article }) {
    if (article !== 'tea') throw new ToolError(`There is no ${article}`)
    return { price: 4 }
  },
})
server.addResource({
  name: 'hours',
  uri: 'shop://hours',
  mimeType: 'text/plain',
  handler: () => '9 to 5',
})
server.addPrompt({
  name: 'offer',
  description: 'Writes an offer',
  argsSchema: z.object({ article: z.string() }),
  handler: ({ article }) => `Write an offer for ${article}`,
})
// #endregion
