import { CITIES, type City } from './cities.ts'
import type { Period } from './weather-source.ts'

/** A typical day in each city, in degrees Fahrenheit. */
const TYPICAL: Readonly<Record<string, { readonly high: number; readonly low: number }>> = {
  Anchorage: { high: 58, low: 44 },
  Boston: { high: 71, low: 58 },
  Chicago: { high: 74, low: 60 },
  Denver: { high: 78, low: 51 },
  Honolulu: { high: 86, low: 74 },
  Houston: { high: 89, low: 73 },
  Miami: { high: 88, low: 77 },
  'New York': { high: 75, low: 62 },
  Phoenix: { high: 99, low: 76 },
  'San Francisco': { high: 67, low: 55 },
  Seattle: { high: 68, low: 54 },
  Washington: { high: 80, low: 65 },
}

const SKIES = [
  { summary: 'Sunny', chanceOfRain: 0, wind: 'SW 5 mph', warmer: 4 },
  { summary: 'Mostly Sunny', chanceOfRain: 5, wind: 'W 5 to 10 mph', warmer: 2 },
  { summary: 'Partly Cloudy', chanceOfRain: 10, wind: 'NW 10 mph', warmer: 0 },
  { summary: 'Chance Rain Showers', chanceOfRain: 40, wind: 'S 10 to 15 mph', warmer: -3 },
  { summary: 'Rain', chanceOfRain: 80, wind: 'SE 15 mph', warmer: -6 },
  { summary: 'Cloudy', chanceOfRain: 20, wind: 'N 5 to 10 mph', warmer: -2 },
] as const

/** Returns two periods for each day. They are the same on every call. */
export function samplePeriods(city: City, days: number): Period[] {
  return Array.from({ length: days * 2 }, (_, index) =>
    samplePeriod(city, Math.floor(index / 2), index % 2 === 0),
  )
}

function samplePeriod(city: City, day: number, isDaytime: boolean): Period {
  const sky = SKIES[(CITIES.indexOf(city) + day) % SKIES.length] ?? SKIES[0]
  const typical = TYPICAL[city.name] ?? { high: 70, low: 50 }
  const temperature = (isDaytime ? typical.high : typical.low) + sky.warmer
  const summary = isDaytime ? sky.summary : sky.summary.replace('Sunny', 'Clear')
  return {
    name: nameOf(day, isDaytime),
    isDaytime,
    temperature,
    unit: 'F',
    chanceOfRain: sky.chanceOfRain,
    wind: sky.wind,
    summary,
    details: `${summary}, with a ${isDaytime ? 'high' : 'low'} near ${temperature}. Wind ${sky.wind}.`,
  }
}

function nameOf(day: number, isDaytime: boolean): string {
  if (day === 0) return isDaytime ? 'Today' : 'Tonight'
  const name = day === 1 ? 'Tomorrow' : `Day ${day + 1}`
  return isDaytime ? name : `${name} Night`
}
