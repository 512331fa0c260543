import { elicit, McpServer } from '@jetway/core'
import { z } from 'zod'

// #region keys
export function createShop(keys: readonly string[]): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' }, { requestState: { keys } })
  server.addTool({
    name: 'order',
    description: 'Orders an article',
    inputSchema: z.object({ article: z.string() }),
    asks: { sure: ({ article }) => elicit(`Order ${article}?`, z.object({ ok: z.boolean() })) },
    handler: ({ article }, { answers }) => (answers.sure.ok ? `Ordered ${article}` : 'Not ordered'),
  })
  return server
}
// #endregion
