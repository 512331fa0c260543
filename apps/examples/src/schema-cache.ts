// #region server
import { McpServer } from '@jetway/core'
import { z } from 'zod'
import schemas from './schemas/index.js'

export const server = new McpServer({ name: 'weather', version: '1.0.0' }, { schemas })

server.addTool({
  name: 'get_forecast',
  inputSchema: z.object({ city: z.string(), days: z.number().int().max(7).default(3) }),
  outputSchema: z.object({ high: z.number(), low: z.number() }),
  handler: () => ({ high: 21, low: 9 }),
})
// #endregion

const sites = ['Denver', 'Oslo']

// #region keys
server.addTool({
  name: 'list_stations_v2',
  // What its schemas are found by, whatever the tool is called.
  schemaKey: 'stations',
  inputSchema: z.object({ country: z.string().length(2) }),
  handler: ({ country }) => `No stations in ${country}`,
})

server.addTool({
  name: 'read_site',
  // Which sites there are is known where the server runs, and not where the cache is built.
  schemaKey: false,
  inputSchema: z.object({ site: z.enum(sites) }),
  handler: ({ site }) => `All is well in ${site}`,
})
// #endregion
