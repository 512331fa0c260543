import { McpServer } from '@jetway/core'
import { zod3 } from '@jetway/zod3'
import { z } from 'zod/v3'
import { forecast } from './weather-table.ts'

// #region alerts
export const server = new McpServer({ name: 'weather', version: '1.0.0' })

server.addTool({
  name: 'get_alerts',
  description: 'The weather alerts in a state',
  inputSchema: zod3(z.object({ state: z.string().regex(/^[A-Z]{2}$/) })),
  outputSchema: zod3(z.object({ alerts: z.array(z.object({ event: z.string(), area: z.string() })) })),
  handler: ({ state }) => ({
    alerts: state === 'NY' ? [{ event: 'Snow squall warning', area: 'Albany' }] : [],
  }),
})
// #endregion

server.addTool({
  name: 'get_forecast',
  description: 'The weather of the next days in a city',
  inputSchema: zod3(
    z.object({
      city: z.string().min(1).max(100).describe('Name of the city'),
      days: z.number().int().min(1).max(3).default(2),
      unit: z.enum(['C', 'F']).optional(),
    }),
  ),
  outputSchema: zod3(
    z.object({
      city: z.string(),
      days: z.array(
        z.object({
          date: z.string(),
          high: z.number(),
          low: z.number(),
          sky: z.enum(['clear', 'rain', 'snow']),
        }),
      ),
    }),
  ),
  handler: ({ city, days, unit }) => forecast(city, days, unit),
})
