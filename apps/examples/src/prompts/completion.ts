import { McpServer } from '@jetway/core'

const cities: Readonly<Record<string, readonly string[]>> = {
  Austria: ['Graz', 'Linz', 'Vienna'],
  France: ['Lille', 'Lyon', 'Paris'],
}

export const server = new McpServer({ name: 'travel', version: '1.0.0' })

// #region arguments
const starting = (typed: string, values: readonly string[]): readonly string[] =>
  values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()))

server.addPrompt({
  name: 'plan_trip',
  description: 'Plans a trip to a city',
  arguments: [{ name: 'country', required: true }, { name: 'city' }],
  complete: {
    country: (typed) => starting(typed, Object.keys(cities)),
    city: (typed, _ctx, { arguments: { country = '' } }) => starting(typed, cities[country] ?? []),
  },
  handler: ({ country, city = 'the capital' }) => `Plan a trip to ${city} in ${country}.`,
})
// #endregion

// #region template
server.addResourceTemplate({
  uriTemplate: 'guide://{country}/{city}',
  name: 'Travel guide',
  complete: {
    country: (typed) => starting(typed, Object.keys(cities)),
    async city(typed, ctx, { arguments: { country = '' } }) {
      const found = await search(country, typed, ctx.signal)
      return { values: found.slice(0, 100), total: found.length }
    },
  },
  handler: ({ country, city }) => `What to see in ${city}, ${country}`,
})
// #endregion

/** A placeholder for a database search. */
function search(country: string, typed: string, signal: AbortSignal): Promise<readonly string[]> {
  signal.throwIfAborted()
  return Promise.resolve(starting(typed, cities[country] ?? []))
}
