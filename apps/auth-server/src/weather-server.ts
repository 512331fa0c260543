import { McpServer } from '@jetway/core'
import { z } from 'zod'

/** Every request needs it. */
export const READ = 'weather:read'
/** Only the tool that warns people needs it. */
export const WARN = 'weather:warn'

/** A weather server. Reading is for everybody with a token, and warning people needs one more scope. */
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
