import { defineTool } from '@jetway/core'
import { z } from 'zod'
import { READS } from './hints.ts'

const WEATHER = {
  'New York': { temperature: 33, conditions: 'Cloudy', humidity: 82 },
  Chicago: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 },
  'Los Angeles': { temperature: 73, conditions: 'Sunny / Clear', humidity: 48 },
}

export const getStructuredContent = defineTool({
  name: 'get-structured-content',
  title: 'Get Structured Content Tool',
  description: 'Returns structured content along with an output schema for client data validation',
  inputSchema: z.object({ location: z.enum(['New York', 'Chicago', 'Los Angeles']).describe('Choose city') }),
  outputSchema: z.object({
    temperature: z.number().describe('Temperature in celsius'),
    conditions: z.string().describe('Weather conditions description'),
    humidity: z.number().describe('Humidity percentage'),
  }),
  annotations: READS,
  handler({ location }) {
    const weather = WEATHER[location]
    return { content: [{ type: 'text', text: JSON.stringify(weather) }], structuredContent: weather }
  },
})
