import { defineTool, McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

// #region add
export const orders = new Map([
  ['A1', { total: 40, paid: true }],
  ['A2', { total: 12, paid: false }],
  ['A3', { total: 25, paid: true }],
])

export const server = new McpServer({ name: 'shop', version: '1.0.0' })

server.addTool({
  name: 'get_order',
  title: 'Get an order',
  description: 'An order of the shop by its number',
  annotations: { readOnly: true },
  inputSchema: z.object({ id: z.string().regex(/^A\d+$/) }),
  outputSchema: z.object({ total: z.number(), paid: z.boolean() }),
  handler({ id }) {
    const order = orders.get(id)
    if (order === undefined) throw new ToolError(`There is no order ${id}`)
    return order
  },
})
// #endregion

// #region context
server.addTool({
  name: 'export_orders',
  description: 'Every order as a line of CSV',
  timeoutMs: 30_000,
  async handler(_, ctx) {
    let text = ''
    let done = 0
    for (const [id, { total }] of orders) {
      ctx.signal.throwIfAborted()
      text += `${id},${total}\n`
      await ctx.progress(++done, orders.size)
    }
    ctx.log.info({ exported: done })
    return text
  },
})
// #endregion

// #region define
export const cancelOrder = defineTool({
  name: 'cancel_order',
  title: 'Cancel an order',
  description: 'Takes an order back, if it is there',
  annotations: { destructive: true, idempotent: true },
  inputSchema: z.object({ id: z.string().describe('A number such as A1') }),
  handler: ({ id }) => orders.delete(id),
})

server.add(cancelOrder)
// #endregion
