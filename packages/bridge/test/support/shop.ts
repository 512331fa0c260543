import { content, McpServer, result, ToolError } from '@jetway/core'
import { z } from 'zod'
import type { Client } from '@jetway/client'
import { connectTo } from './connect.ts'

/** An image of one pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Creates a server with a tool for each kind of result. */
export function shop(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  server.addTool({
    name: 'get_order',
    description: 'An order by its number',
    inputSchema: z.object({ id: z.string() }),
    outputSchema: z.object({ id: z.string(), total: z.number() }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    handler: ({ id }) => ({ id, total: 40 }),
  })
  server.addTool({ name: 'photo', handler: () => [content.text('A dot'), content.image(PNG, 'image/png')] })
  server.addTool({
    name: 'refund',
    title: 'Give money back',
    handler: () => {
      throw new ToolError('The order is closed')
    },
  })
  server.addTool({
    name: 'receipt',
    handler: () =>
      result({
        content: [
          content.link({ uri: 'shop://receipts/1', name: 'receipt', mimeType: 'application/pdf' }),
          content.resource({ uri: 'shop://receipts/1', mimeType: 'application/pdf', blob: 'JVBERi0=' }),
          content.resource({ uri: 'shop://notes/1', mimeType: 'text/plain', text: 'Paid in cash' }),
          content.audio('UklGRg==', 'audio/wav'),
        ],
      }),
  })
  return server
}

export const connectToShop = (name?: string): Promise<Client> =>
  connectTo(shop(), name === undefined ? {} : { name })
