import { McpServer } from '@jetway/core'
import { alerts, forecast } from './weather-table.ts'

export const server = new McpServer({ name: 'weather', version: '1.0.0' })

server.addTool({
  name: 'get_forecast',
  description: 'The weather of the next days in a city',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 1, maxLength: 100, description: 'Name of the city' },
      days: { type: 'integer', minimum: 1, maximum: 3, default: 2 },
      unit: { type: 'string', enum: ['C', 'F'] },
    },
    required: ['city'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            date: { type: 'string' },
            high: { type: 'number' },
            low: { type: 'number' },
            sky: { type: 'string', enum: ['clear', 'rain', 'snow'] },
          },
          required: ['date', 'high', 'low', 'sky'],
        },
      },
    },
    required: ['city', 'days'],
  },
  // JSON Schema does not fill in defaults.
  handler: ({ city, days = 2, unit }) => forecast(city, days, unit),
})

server.addTool({
  name: 'get_alerts',
  description: 'The weather alerts in a state',
  inputSchema: {
    type: 'object',
    properties: { state: { type: 'string', pattern: '^[A-Z]{2}$' } },
    required: ['state'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      alerts: {
        type: 'array',
        items: {
          type: 'object',
          properties: { event: { type: 'string' }, area: { type: 'string' } },
          required: ['event', 'area'],
        },
      },
    },
    required: ['alerts'],
  },
  handler: ({ state }) => ({ alerts: alerts(state) }),
})
