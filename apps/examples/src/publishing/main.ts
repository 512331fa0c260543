import process from 'node:process'
import { McpServer } from '@jetway/core'
import { serveStdio } from '@jetway/stdio'
import { z } from 'zod'

const region = process.env['SHOP_REGION'] ?? 'eu'
const server = new McpServer({ name: 'shop', version: '1.2.3', title: 'Shop' })

server.addTool({
  name: 'get_order',
  title: 'Order',
  description: 'Finds an order by its id',
  inputSchema: z.object({ id: z.string().describe('The id, such as A1') }),
  outputSchema: z.object({ id: z.string(), region: z.string(), total: z.number() }),
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  handler: ({ id }) => ({ id, region, total: 12.5 }),
})

await serveStdio(server)
