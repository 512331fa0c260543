import { type AnyTool, defineTool, McpServer, type Source, ToolError } from '@jetway/core'
import { z } from 'zod'

const orders = new Map([
  ['A1', { total: 40, paid: true }],
  ['A2', { total: 12, paid: false }],
  ['A3', { total: 25, paid: true }],
])

// #region add
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

// #region change
export function openCounter(): Disposable {
  const bell = server.addTool({ name: 'ring_bell', handler: () => 'Somebody is coming' })
  bell.update({ description: 'Calls somebody to the counter' })
  return bell
}
// #endregion

// #region metadata
export const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Pays an order back',
  annotations: { title: 'Pay back', destructive: true, openWorld: false },
  priority: 100,
  relatedTools: [{ name: 'get_order', relation: 'suggested' }],
  cacheControl: 'ephemeral',
  inputSchema: z.object({ id: z.string() }),
  handler: ({ id }) => `Paid ${orders.get(id)?.total ?? 0} back`,
})
// #endregion

// #region observe
export const stalls = new Map<string, AnyTool<unknown, unknown>>()
export const bell = new EventTarget()

export const market: Source = {
  tools: () => stalls.values(),
  onChange(listener) {
    bell.addEventListener('change', listener)
    return () => bell.removeEventListener('change', listener)
  },
}

export const openMarket = (): Disposable => server.observe(market)
// #endregion
