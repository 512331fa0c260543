import { defineTool, McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

const orders = new Map([
  ['A1', { total: 40, paid: true }],
  ['A2', { total: 12, paid: false }],
])

// #region add
export const server = new McpServer({ name: 'shop', version: '1.0.0' })

server.addTool({
  name: 'get_order',
  title: 'Get an order',
  description: 'An order of the shop by its number',
  annotations: { readOnlyHint: true },
  inputSchema: z.object({
    id: z
      .string()
      .regex(/^A\d+$/)
      .describe('A number such as A1'),
  }),
  outputSchema: z.object({ total: z.number(), paid: z.boolean() }),
  handler({ id }) {
    const order = orders.get(id)
    if (order === undefined) throw new ToolError(`There is no order ${id}`)
    return order
  },
})
// #endregion

// #region json-schema
server.addTool({
  name: 'count_orders',
  description: 'How many orders are paid, or are not',
  inputSchema: { type: 'object', properties: { paid: { type: 'boolean' } }, required: ['paid'] },
  handler: ({ paid }) => [...orders.values()].filter((order) => order.paid === paid).length,
})
// #endregion

// #region context
server.addTool({
  name: 'export_orders',
  description: 'Every order as a line of CSV',
  timeoutMs: 30_000,
  async handler(_, ctx) {
    const lines: string[] = []
    for (const [id, { total }] of orders) {
      ctx.signal.throwIfAborted()
      lines.push(`${id},${total}`)
      await ctx.progress(lines.length, orders.size, `Exported ${id}`)
    }
    ctx.log.info({ exported: lines.length })
    return lines.join('\n')
  },
})
// #endregion

// #region define
export const payOrder = defineTool({
  name: 'pay_order',
  title: 'Pay an order',
  description: 'Marks an order as paid',
  annotations: { destructiveHint: false, idempotentHint: true },
  inputSchema: z.object({ id: z.string() }),
  handler({ id }) {
    const order = orders.get(id)
    if (order === undefined) throw new ToolError(`There is no order ${id}`)
    order.paid = true
    return `${id} is paid`
  },
})

server.add(payOrder)
// #endregion

// #region change
/** Opens the counter for as long as the shop is open. */
export function openCounter(): Disposable {
  const counter = server.addTool({
    name: 'ring_bell',
    description: 'Calls somebody to the counter',
    handler: () => 'Somebody is coming',
  })
  counter.update({ description: 'Calls somebody to the counter, who comes at once' })
  return counter
}
// #endregion
