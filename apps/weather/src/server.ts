import { McpServer, type ServerOptions } from '@jetway/core'
import { addBriefingPrompt } from './briefing-prompt.ts'
import { addCityResources } from './city-resources.ts'
import { addGetAlerts } from './get-alerts.ts'
import { addGetForecast } from './get-forecast.ts'
import type { WeatherSource } from './weather-source.ts'

const INSTRUCTIONS =
  'Weather forecasts and alerts for the United States. Check the alerts before you advise a trip.'

export interface WeatherServerOptions extends ServerOptions {
  readonly source: WeatherSource
}

/**
 * Creates the weather server. `main.ts` serves it over the chosen transport. The definition does not depend on
 * clients, sessions or transports.
 */
export function createWeatherServer({ source, ...options }: WeatherServerOptions): McpServer {
  const server = new McpServer(
    { name: 'weather', version: '1.0.0', title: 'Weather' },
    { instructions: INSTRUCTIONS, ...options },
  )
  addGetForecast(server, source)
  addGetAlerts(server, source)
  addCityResources(server, source)
  addBriefingPrompt(server)
  return server
}
