import { McpServer } from '@jetway/core'
import { z } from 'zod'

/** The scope that every request needs. */
export const READ = 'weather:read'
/** The scope for the tool that issues warnings. */
export const WARN = 'weather:warn'

/** Creates a weather server. Every token allows reading; issuing warnings requires one more scope. */
export function createWeatherServer(): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0.0' })
  server.addTool({
    name: 'get_forecast',
    description: "Tomorrow's weather in a city",
    inputSchema: z.object({ city: z.string() }),
    handler: ({ city }, { auth }) => `${city}: sunny, 24 °C. Asked by ${String(auth?.extra?.['subject'])}`,
  })
  server.addTool({
    name: 'send_warning',
    description: 'Warns the people of a city',
    scopes: [WARN],
    inputSchema: z.object({ city: z.string(), text: z.string() }),
    handler: ({ city, text }) => `All people in ${city} were warned: ${text}`,
  })
  return server
}
