import { contents, McpServer } from '@jetway/core'

// #region server
const rates = new Map([
  ['EUR', 1],
  ['CHF', 0.94],
])

export const server = new McpServer(
  { name: 'rates', version: '1.0.0' },
  { cache: { ttlMs: 60_000, resources: { ttlMs: 3_600_000, cacheScope: 'public' } } },
)
// #endregion

// #region entry
server.addResource({
  uri: 'rates://currencies',
  name: 'currencies',
  description: 'The currencies that there are rates for',
  cache: { ttlMs: 24 * 3_600_000, cacheScope: 'public' },
  handler: () => [...rates.keys()],
})
// #endregion

/** When the rates change next, in ms since 1970. */
export const market = { nextChange: 0 }

// #region read
server.addResourceTemplate({
  uriTemplate: 'rates://{currency}',
  name: 'rate',
  description: 'What one unit costs, in euros',
  handler({ currency }, { uri }) {
    const rate = rates.get(currency)
    if (rate === undefined) return undefined
    const ttlMs = Math.max(0, market.nextChange - Date.now())
    return contents([{ uri, text: String(rate) }], { cache: { ttlMs } })
  },
})
// #endregion
