import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

// #region server
export function createServer(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  server.registerTool(
    'price',
    {
      description: 'The price of an article',
      inputSchema: z.object({ article: z.string() }),
      outputSchema: z.object({ price: z.number() }),
    },
    ({ article }) => {
      if (article !== 'tea')
        return { content: [{ type: 'text', text: `There is no ${article}` }], isError: true }
      const structuredContent = { price: 4 }
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    },
  )
  server.registerResource('hours', 'shop://hours', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: '9 to 5' }],
  }))
  server.registerPrompt(
    'offer',
    { description: 'Writes an offer', argsSchema: z.object({ article: z.string() }) },
    ({ article }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Write an offer for ${article}` } }],
    }),
  )
  return server
}
// #endregion
