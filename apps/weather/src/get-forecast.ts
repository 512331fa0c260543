import { type McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'
import { CITIES, findCity } from './cities.ts'
import { Forecast, type Place, type WeatherSource } from './weather-source.ts'

/**
 * One object with a rule, where a union of two objects would be the more exact: several model providers refuse
 * a tool whose schema has `anyOf` at its root.
 */
const ForecastInput = z
  .object({
    city: z
      .string()
      .optional()
      .describe(`One of ${CITIES.map(({ name }) => name).join(', ')}`),
    latitude: z.number().min(-90).max(90).optional().describe('Degrees north; needs longitude'),
    longitude: z.number().min(-180).max(180).optional().describe('Degrees east; needs latitude'),
    days: z.int().min(1).max(7).default(3).describe('How many days, today included'),
  })
  .refine(saysOnePlace, 'Give either city, or both latitude and longitude')
type ForecastInput = z.infer<typeof ForecastInput>

export function addGetForecast(server: McpServer, source: WeatherSource): void {
  server.addTool({
    name: 'get_forecast',
    title: 'Weather forecast',
    description:
      'The weather of the next days for a place in the United States: a city, or a latitude and longitude',
    inputSchema: ForecastInput,
    outputSchema: Forecast,
    annotations: { readOnlyHint: true, openWorldHint: true },
    handler: (input, ctx) => source.forecast(placeOf(input), input.days, ctx.signal),
  })
}

function saysOnePlace({ city, latitude, longitude }: Omit<ForecastInput, 'days'>): boolean {
  const given = [latitude, longitude].filter((degrees) => degrees !== undefined).length
  return city === undefined ? given === 2 : given === 0
}

function placeOf({ city, latitude, longitude }: ForecastInput): Place {
  if (latitude !== undefined && longitude !== undefined) return { latitude, longitude }
  const place = findCity(city ?? '')
  if (place !== undefined) return place
  const names = CITIES.map(({ name }) => name).join(', ')
  throw new ToolError(
    `No city of this name. Known are ${names}. For other places give latitude and longitude.`,
  )
}
