import { type McpServer, resourceNotFound } from '@jetway/core'
import { CITIES, type City, completeCity, findCity, slugOf } from './cities.ts'
import type { Forecast, WeatherSource } from './weather-source.ts'

const REPORT_DAYS = 2

export function addCityResources(server: McpServer, source: WeatherSource): void {
  server.addResource({
    uri: 'weather://cities',
    name: 'cities',
    title: 'Cities',
    description: 'The cities that this server knows by name, and where they are',
    mimeType: 'application/json',
    handler: () => CITIES.map((city) => ({ ...city, uri: uriOf(city) })),
  })

  server.addResourceTemplate({
    uriTemplate: 'weather://cities/{city}',
    name: 'city',
    title: 'Weather report of a city',
    description: 'Today and tomorrow in one of the cities, for people to read',
    mimeType: 'text/markdown',
    // Many hosts show only listed resources, and no templates.
    list: () => CITIES.map((city) => ({ uri: uriOf(city), name: city.name, mimeType: 'text/markdown' })),
    complete: { city: (typed) => completeCity(typed.replaceAll('-', ' ')).map(slugOf) },
    async handler({ city }, ctx) {
      const place = findCity(city)
      if (place === undefined) throw resourceNotFound(ctx.uri)
      return report(await source.forecast(place, REPORT_DAYS, ctx.signal))
    },
  })
}

const uriOf = ({ name }: City): string => `weather://cities/${slugOf(name)}`

function report({ place, periods, source }: Forecast): string {
  const lines = periods.map(({ name, details }) => `- **${name}**: ${details}`)
  return [`# ${place}`, '', ...lines, '', `Source: ${source}`, ''].join('\n')
}
