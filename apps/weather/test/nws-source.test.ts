import { ToolError } from '@jetway/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nwsSource } from '../src/nws-source.ts'
import type { WeatherSource } from '../src/weather-source.ts'
import {
  alertsAnswer,
  type FakeNws,
  fakeNws,
  forecastAnswer,
  geoJson,
  pointAnswer,
  problem,
  stalled,
} from './support/fake-nws.ts'

const DENVER = { latitude: 39.7392, longitude: -104.9903 }
const POINT = '/points/39.7392,-104.9903'
const GRID = '/gridpoints/BOU/63,62/forecast'
const never = new AbortController().signal

let nws: FakeNws
let source: WeatherSource

beforeEach(async () => {
  nws = await fakeNws()
  source = nwsSource({ baseUrl: nws.url, retryAfterMs: 0, userAgent: 'test/1.0' })
  nws.on(POINT, geoJson(pointAnswer(nws.url + GRID)))
  nws.on(GRID, geoJson(forecastAnswer))
})

afterEach(() => nws.close())

const told = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ToolError)
  return (error as ToolError).message
}

describe('forecast', () => {
  it('requests the point, then its grid, and returns two periods per day', async () => {
    const forecast = await source.forecast(DENVER, 2, never)
    expect(forecast).toMatchObject({ place: 'Denver, CO', ...DENVER, source: 'National Weather Service' })
    expect(forecast.periods).toHaveLength(4)
    expect(forecast.periods[0]).toEqual({
      name: 'Day 0',
      isDaytime: true,
      temperature: 70,
      unit: 'F',
      chanceOfRain: null,
      wind: 'SW 5 to 10 mph',
      summary: 'Sunny',
      details: 'Sunny, with a high near 70.',
    })
    expect(nws.requests.map(({ url }) => url)).toEqual([POINT, GRID])
  })

  it('sends its User-Agent header, and accepts GeoJSON', async () => {
    await source.forecast(DENVER, 1, never)
    for (const { headers } of nws.requests) {
      expect(headers).toMatchObject({ 'user-agent': 'test/1.0', accept: 'application/geo+json' })
    }
  })

  it('rounds coordinates to four decimals without trailing zeros, to avoid a redirect', async () => {
    nws.on('/points/40,-105.1235', geoJson(pointAnswer(nws.url + GRID)))
    await source.forecast({ latitude: 40.00001, longitude: -105.12345678 }, 1, never)
    expect(nws.requests[0]?.url).toBe('/points/40,-105.1235')
  })

  it.each([
    ['is unknown to the service', problem(404, 'InvalidPoint')],
    ['is not covered by an office', geoJson(pointAnswer(null))],
  ])('says which country is covered if the point %s', async (_, answer) => {
    nws.on(POINT, answer)
    expect(await told(source.forecast(DENVER, 1, never))).toBe(
      'No forecast for this place: the service covers the United States.',
    )
  })

  it('does not send requests to other hosts', async () => {
    const other = await fakeNws()
    nws.on(POINT, geoJson(pointAnswer(other.url + GRID)))
    expect(await told(source.forecast(DENVER, 1, never))).toBe(
      'The weather service pointed to another server.',
    )
    nws.on(POINT, (response) => response.writeHead(302, { location: other.url + GRID }).end())
    expect(await told(source.forecast(DENVER, 1, never))).toContain('HTTP 302')
    expect(other.requests).toHaveLength(0)
    other.close()
  })
})

describe('the list of alerts', () => {
  it('contains defaults for missing fields', async () => {
    nws.on('/alerts/active?area=CO', geoJson(alertsAnswer))
    expect(await source.alerts('CO', never)).toEqual([
      {
        event: 'Winter Storm Warning',
        severity: 'Severe',
        area: 'Boulder; Jefferson',
        headline: 'Winter Storm Warning issued June 1 at noon',
        description: 'Heavy snow.',
        instruction: 'Stay home.',
      },
      {
        event: 'Frost Advisory',
        severity: 'Minor',
        area: 'Weld',
        headline: 'Frost Advisory',
        description: '',
        instruction: null,
      },
    ])
  })

  it('may be empty', async () => {
    nws.on('/alerts/active?area=CO', geoJson({ type: 'FeatureCollection', features: [] }))
    expect(await source.alerts('CO', never)).toEqual([])
  })
})

describe('a failed request to the weather service', () => {
  it('is retried once after a 5xx', async () => {
    let calls = 0
    nws.on(POINT, (...args) => {
      calls += 1
      const answer = calls === 1 ? problem(503, 'ForecastGridExpired') : geoJson(pointAnswer(nws.url + GRID))
      answer(...args)
    })
    expect((await source.forecast(DENVER, 1, never)).periods).toHaveLength(2)
    expect(calls).toBe(2)
  })

  it("is reported after the second 5xx, without the service's error message", async () => {
    nws.on(POINT, problem(500, 'UnexpectedProblem'))
    const text = await told(source.forecast(DENVER, 1, never))
    expect(text).toBe('The weather service has a problem (HTTP 500). Try again in a minute.')
    expect(nws.requests).toHaveLength(2)
  })

  it('is not retried after a 4xx', async () => {
    nws.on(POINT, problem(403, 'Forbidden'))
    expect(await told(source.forecast(DENVER, 1, never))).toContain('HTTP 403')
    expect(nws.requests).toHaveLength(1)
  })

  it.each([
    ['HTML', '<html>'],
    ['half a document', '{"properties":'],
    ['another shape', '{"properties":{"periods":"none"}}'],
    ['an empty body', ''],
  ])('is reported as an invalid reply if the service sends %s', async (_, body) => {
    nws.on(GRID, (response) => response.writeHead(200).end(body))
    expect(await told(source.forecast(DENVER, 1, never))).toBe(
      'The weather service answered in a form that this server does not know.',
    )
  })

  it.each([
    ['does not reply', () => {}],
    ['stalls within the body', stalled],
  ])('is reported as a timeout if the service %s', async (_, answer) => {
    nws.on(POINT, answer)
    const slow = nwsSource({ baseUrl: nws.url, timeoutMs: 50 })
    expect(await told(slow.forecast(DENVER, 1, never))).toBe(
      'The weather service did not answer within 0.05 seconds.',
    )
  })

  it('is reported as unreachable if nothing is listening', async () => {
    const { url, close } = await fakeNws()
    close()
    expect(await told(nwsSource({ baseUrl: url }).alerts('CO', never))).toBe(
      'The weather service cannot be reached.',
    )
  })

  it('is reported as unreachable if the service closes the connection', async () => {
    nws.on(POINT, (response) => response.destroy())
    expect(await told(source.forecast(DENVER, 1, never))).toBe('The weather service cannot be reached.')
  })

  it("is rejected with the caller's error after the caller cancels it", async () => {
    const caller = new AbortController()
    nws.on(POINT, () => caller.abort(new Error('cancelled')))
    await expect(source.forecast(DENVER, 1, caller.signal)).rejects.toThrow('cancelled')
  })
})
