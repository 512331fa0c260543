import { type McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'
import { CITY_NAMES, findCity } from './cities.ts'
import { Forecast, type Place, type WeatherSource } from './weather-source.ts'

/** A place, given either as a city or as coordinates. */
const PlaceInput = z.object({
  city: z.string().optional().describe(`One of ${CITY_NAMES}`),
  latitude: z.number().min(-90).max(90).optional().describe('Degrees north; needs longitude'),
  longitude: z.number().min(-180).max(180).optional().describe('Degrees east; needs latitude'),
})
type PlaceInput = z.infer<typeof PlaceInput>

/**
 * This is one object with a rule, rather than a union of two objects, because several model providers reject
 * a tool whose schema has `anyOf` at its root.
 */
const ForecastInput = PlaceInput.extend({
  days: z.int().min(1).max(7).default(3).describe('How many days, today included'),
}).refine(saysOnePlace, 'Give either city, or both latitude and longitude')

export function addGetForecast(server: McpServer, source: WeatherSource): void {
  server.addTool({
    name: 'get_forecast',
    title: 'Weather forecast',
    description:
      'The weather of the next days for a place in the United States: a city, or a latitude and longitude',
    inputSchema: ForecastInput,
    outputSchema: Forecast,
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
    handler: (input, ctx) => source.forecast(placeOf(input), input.days, ctx.signal),
  })
}

function saysOnePlace({ city, latitude, longitude }: PlaceInput): boolean {
  const given = [latitude, longitude].filter((degrees) => degrees !== undefined).length
  return city === undefined ? given === 2 : given === 0
}

function placeOf({ city = '', latitude, longitude }: PlaceInput): Place {
  if (latitude !== undefined && longitude !== undefined) return { latitude, longitude }
  const place = findCity(city)
  if (place !== undefined) return place
  throw new ToolError(
    `No city of this name. Known are ${CITY_NAMES}. For other places give latitude and longitude.`,
  )
}
