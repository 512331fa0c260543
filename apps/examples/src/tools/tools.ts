import { type AnyTool, defineTool, type Source } from '@jetway/core'
import { z } from 'zod'
import { orders, server } from './shop.ts'

// #region json-schema
server.addTool({
  name: 'count_orders',
  description: 'How many orders are paid, or are not',
  inputSchema: { type: 'object', properties: { paid: { type: 'boolean' } }, required: ['paid'] },
  handler: ({ paid }) => [...orders.values()].filter((order) => order.paid === paid).length,
})
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
