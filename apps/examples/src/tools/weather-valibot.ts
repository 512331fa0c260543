import { McpServer } from '@jetway/core'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { alerts, forecast } from './weather-table.ts'

export const server = new McpServer({ name: 'weather', version: '1.0.0' })

const Day = v.object({
  date: v.string(),
  high: v.number(),
  low: v.number(),
  sky: v.picklist(['clear', 'rain', 'snow']),
})

server.addTool({
  name: 'get_forecast',
  description: 'The weather of the next days in a city',
  inputSchema: toStandardJsonSchema(
    v.object({
      city: v.pipe(v.string(), v.minLength(1), v.maxLength(100), v.description('Name of the city')),
      days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3)), 2),
      unit: v.optional(v.picklist(['C', 'F'])),
    }),
  ),
  outputSchema: toStandardJsonSchema(v.object({ city: v.string(), days: v.array(Day) })),
  handler: ({ city, days, unit }) => forecast(city, days, unit),
})

server.addTool({
  name: 'get_alerts',
  description: 'The weather alerts in a state',
  inputSchema: toStandardJsonSchema(v.object({ state: v.pipe(v.string(), v.regex(/^[A-Z]{2}$/)) })),
  outputSchema: toStandardJsonSchema(
    v.object({ alerts: v.array(v.object({ event: v.string(), area: v.string() })) }),
  ),
  handler: ({ state }) => ({ alerts: alerts(state) }),
})
