import { fileURLToPath } from 'node:url'
import { McpServer } from '@jetway/core'
import { readSchemasOrEmpty } from '@jetway/schemas'
import { z } from 'zod'

// #region read
const folder = fileURLToPath(new URL('../schemas', import.meta.url))

export const server = new McpServer(
  { name: 'weather', version: '1.0.0' },
  { schemas: await readSchemasOrEmpty(folder) },
)
// #endregion

server.addTool({
  name: 'get_forecast',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ high: z.number(), low: z.number() }),
  handler: () => ({ high: 21, low: 9 }),
})
