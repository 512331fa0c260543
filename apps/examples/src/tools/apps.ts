import { McpServer } from '@jetway/core'
import { app, apps } from '@jetway/core/apps'
import { z } from 'zod'

// #region app
export const server = new McpServer({ name: 'weather', version: '1.0.0' }, { extensions: [apps()] })

server.add(
  app({
    uri: 'ui://weather/dashboard',
    name: 'dashboard',
    html: '<!doctype html><title>Weather</title><script type="module">/* … */</script>',
    csp: { connectDomains: ['https://api.weather.gov'] },
    prefersBorder: true,
  }),
)

server.addTool({
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  ui: { resourceUri: 'ui://weather/dashboard' },
  handler: ({ city }) => `Sunny in ${city}, 22 °C`,
})
// #endregion

// #region app-only
server.addTool({
  name: 'refresh_dashboard',
  description: 'Fetches the figures of the dashboard anew',
  inputSchema: z.object({ city: z.string() }),
  ui: { resourceUri: 'ui://weather/dashboard', visibility: ['app'] },
  handler: ({ city }) => ({ city, celsius: 22 }),
})
// #endregion
