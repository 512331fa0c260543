import { ToolError } from '@jetway/core'
import { nwsClient, type NwsClientOptions } from './nws-client.ts'
import {
  type AlertAnswer,
  AlertsAnswer,
  ForecastAnswer,
  type PeriodAnswer,
  PointAnswer,
} from './nws-shapes.ts'
import type { Alert, Period, Place, WeatherSource } from './weather-source.ts'

const OUTSIDE = 'No forecast for this place: the service covers the United States.'
const PERIODS_PER_DAY = 2

/** Creates a source with the weather from the United States' National Weather Service. */
export function nwsSource(options?: NwsClientOptions): WeatherSource {
  const nws = nwsClient(options)
  return {
    async forecast(place, days, signal) {
      const point = await nws.get(`/points/${coordinates(place)}`, PointAnswer, OUTSIDE, signal)
      const { forecast: address, relativeLocation } = point.properties
      if (address === null) throw new ToolError(OUTSIDE)
      const { properties } = await nws.get(address, ForecastAnswer, OUTSIDE, signal)
      const near = relativeLocation?.properties
      return {
        place: near ? `${near.city}, ${near.state}` : coordinates(place),
        latitude: place.latitude,
        longitude: place.longitude,
        source: 'National Weather Service',
        periods: properties.periods.slice(0, days * PERIODS_PER_DAY).map(toPeriod),
      }
    },

    async alerts(state, signal) {
      const missing = `The service knows no alerts for ${state}.`
      const { features } = await nws.get(`/alerts/active?area=${state}`, AlertsAnswer, missing, signal)
      return features.map(toAlert)
    },
  }
}

/** The service redirects requests whose coordinates have more than four decimals or trailing zeros. */
const coordinates = ({ latitude, longitude }: Place): string =>
  [latitude, longitude].map((degrees) => Number(degrees.toFixed(4))).join(',')

const toPeriod = (period: PeriodAnswer): Period => ({
  name: period.name,
  isDaytime: period.isDaytime,
  temperature: period.temperature,
  unit: period.temperatureUnit,
  chanceOfRain: period.probabilityOfPrecipitation?.value ?? null,
  wind: `${period.windDirection} ${period.windSpeed}`.trim(),
  summary: period.shortForecast,
  details: period.detailedForecast,
})

const toAlert = ({ properties }: AlertAnswer): Alert => ({
  event: properties.event,
  severity: properties.severity,
  area: properties.areaDesc,
  headline: properties.headline ?? properties.event,
  description: properties.description ?? '',
  instruction: properties.instruction ?? null,
})
