import { ToolError } from '@jetway/core'
import { CITIES, CITY_NAMES, type City } from './cities.ts'
import { sampleAlerts } from './sample-alerts.ts'
import { samplePeriods } from './sample-forecasts.ts'
import type { Place, WeatherSource } from './weather-source.ts'

const REACH_KM = 100
const EARTH_RADIUS_KM = 6371

/** Returns invented weather for {@link CITIES}. It is always the same, and requires no network. */
export function embeddedSource(): WeatherSource {
  return {
    async forecast(place, days) {
      const city = nearestCity(place)
      if (city === undefined) {
        throw new ToolError(`The sample data has no forecast for this place. It covers ${CITY_NAMES}.`)
      }
      const { name, state, latitude, longitude } = city
      return {
        place: `${name}, ${state}`,
        latitude,
        longitude,
        source: 'sample data',
        periods: samplePeriods(city, days),
      }
    },

    async alerts(state) {
      return sampleAlerts(state)
    },
  }
}

function nearestCity(place: Place): City | undefined {
  const [nearest] = CITIES.map((city) => ({ city, km: distanceKm(place, city) })).toSorted(
    (a, b) => a.km - b.km,
  )
  return nearest !== undefined && nearest.km <= REACH_KM ? nearest.city : undefined
}

/** Returns the distance along the Earth's surface, calculated with the haversine formula. */
function distanceKm(a: Place, b: Place): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180
  const halfChord =
    Math.sin(radians(b.latitude - a.latitude) / 2) ** 2 +
    Math.cos(radians(a.latitude)) *
      Math.cos(radians(b.latitude)) *
      Math.sin(radians(b.longitude - a.longitude) / 2) ** 2
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(halfChord))
}
