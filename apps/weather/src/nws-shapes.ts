import { z } from 'zod'

/**
 * The parts of the service's responses that this app reads. Additional members are ignored. Only these schemas
 * detect missing members.
 *
 * @see https://www.weather.gov/documentation/services-web-api
 */
export const PointAnswer = z.object({
  properties: z.object({
    // Null for points that are not covered by any forecast office, such as points at sea.
    forecast: z.string().nullable(),
    relativeLocation: z
      .object({ properties: z.object({ city: z.string(), state: z.string() }) })
      .nullable()
      .optional(),
  }),
})

const PeriodAnswer = z.object({
  name: z.string(),
  isDaytime: z.boolean(),
  temperature: z.number(),
  temperatureUnit: z.enum(['F', 'C']),
  probabilityOfPrecipitation: z.object({ value: z.number().nullable() }).nullable().optional(),
  windSpeed: z.string(),
  windDirection: z.string(),
  shortForecast: z.string(),
  detailedForecast: z.string(),
})
export type PeriodAnswer = z.infer<typeof PeriodAnswer>

export const ForecastAnswer = z.object({ properties: z.object({ periods: z.array(PeriodAnswer) }) })

const AlertAnswer = z.object({
  properties: z.object({
    event: z.string(),
    severity: z.string(),
    areaDesc: z.string(),
    headline: z.string().nullable().optional(),
    description: z.string().nullable().optional(),
    instruction: z.string().nullable().optional(),
  }),
})
export type AlertAnswer = z.infer<typeof AlertAnswer>

export const AlertsAnswer = z.object({ features: z.array(AlertAnswer) })
