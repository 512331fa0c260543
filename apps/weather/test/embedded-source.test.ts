import { ToolError } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { CITIES, completeCity, findCity } from '../src/cities.ts'
import { embeddedSource } from '../src/embedded-source.ts'
import { isState } from '../src/states.ts'
import { Forecast } from '../src/weather-source.ts'

const never = new AbortController().signal
const source = embeddedSource()

describe('sample data', () => {
  it.each(CITIES.map((city) => [city.name, city] as const))(
    'returns the same week for %s on every call',
    async (_, city) => {
      const forecast = await source.forecast(city, 7, never)
      expect(Forecast.parse(forecast)).toEqual(forecast)
      expect(forecast.place).toBe(`${city.name}, ${city.state}`)
      expect(forecast.periods).toHaveLength(14)
      expect(new Set(forecast.periods.map(({ name }) => name)).size).toBe(14)
      expect(await source.forecast(city, 7, never)).toEqual(forecast)
    },
  )

  it('returns forecasts for places near a city', async () => {
    const boulder = { latitude: 40.015, longitude: -105.2705 }
    expect((await source.forecast(boulder, 1, never)).place).toBe('Denver, CO')
  })

  it('names the known cities if no city is near', async () => {
    const paris = { latitude: 48.8566, longitude: 2.3522 }
    const refused = source.forecast(paris, 1, never)
    await expect(refused).rejects.toThrow(ToolError)
    await expect(refused).rejects.toThrow('Denver')
  })

  it('contains alerts for only some states', async () => {
    expect(await source.alerts('CA', never)).not.toHaveLength(0)
    expect(await source.alerts('CO', never)).toEqual([])
  })
})

describe('cities', () => {
  it.each(['Denver', 'denver', ' DENVER ', 'Denver, CO'])('are found by %j', (text) => {
    expect(findCity(text)?.name).toBe('Denver')
  })

  it.each(['New York', 'new york', 'new-york', 'New York, NY'])(
    'are found by %j if their names have two words',
    (text) => {
      expect(findCity(text)?.name).toBe('New York')
    },
  )

  it.each(['', 'Paris', 'Denver, TX', '__proto__'])('are not found by %j', (text) => {
    expect(findCity(text)).toBeUndefined()
  })

  it('are completed from a prefix', () => {
    expect(completeCity('h')).toEqual(['Honolulu', 'Houston'])
    expect(completeCity('')).toHaveLength(CITIES.length)
  })

  it('are in states that exist', () => {
    expect(CITIES.filter(({ state }) => !isState(state))).toEqual([])
  })
})
