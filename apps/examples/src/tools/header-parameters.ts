import { McpServer } from '@jetway/core'
import { z } from 'zod'

// #region declare
export const server = new McpServer({ name: 'measurements', version: '1.0.0' })

server.addTool({
  name: 'query',
  description: 'Measurements of a region',
  inputSchema: z.object({
    region: z.string().meta({ 'x-mcp-header': 'Region' }),
    shard: z.int().optional().meta({ 'x-mcp-header': 'Shard' }),
    since: z.iso.date(),
  }),
  handler: ({ region, shard = 0, since }) => `${region}/${shard} since ${since}`,
})
// #endregion
