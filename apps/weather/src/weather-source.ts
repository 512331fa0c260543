import { z } from 'zod'

/** The place of a forecast. */
export interface Place {
  readonly latitude: number
  readonly longitude: number
}

/** The weather for half a day: either a day, or the night that follows. */
export const Period = z.object({
  name: z.string().describe('For example "Today" or "Monday Night"'),
  isDaytime: z.boolean(),
  temperature: z.number().describe('The high of a day, the low of a night'),
  unit: z.enum(['F', 'C']),
  chanceOfRain: z.number().nullable().describe('Per cent; null where the service does not say'),
  wind: z.string(),
  summary: z.string(),
  details: z.string(),
})
export type Period = z.infer<typeof Period>

export const Forecast = z.object({
  place: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  source: z.string().describe('Where the forecast comes from'),
  periods: z.array(Period),
})
export type Forecast = z.infer<typeof Forecast>

export const Alert = z.object({
  event: z.string().describe('For example "Flood Warning"'),
  severity: z.string().describe('Extreme, Severe, Moderate, Minor or Unknown'),
  area: z.string(),
  headline: z.string(),
  description: z.string(),
  instruction: z.string().nullable().describe('What people should do; null where nothing is said'),
})
export type Alert = z.infer<typeof Alert>

/** A source of weather: the app's sample data, or a service. */
export interface WeatherSource {
  /**
   * @param days - the number of days, from 1 to 7
   * @throws ToolError that tells the model why there is no forecast
   */
  forecast(place: Place, days: number, signal: AbortSignal): Promise<Forecast>

  /**
   * @param state - the postal code, such as `CO`
   * @throws ToolError that tells the model why the alerts are not available
   */
  alerts(state: string, signal: AbortSignal): Promise<Alert[]>
}
