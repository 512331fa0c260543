import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '@jetway-apps/test-support/http'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/**
 * A loopback stand-in for the weather service. For its formats, see
 * https://www.weather.gov/documentation/services-web-api.
 */
export interface FakeNws {
  readonly url: string
  readonly requests: IncomingMessage[]
  /** Sets the reply to a path and query. */
  on(path: string, answer: Answer): void
  readonly close: () => void
}

export async function fakeNws(): Promise<FakeNws> {
  const answers = new Map<string, Answer>()
  const requests: IncomingMessage[] = []
  const { origin, release } = await listen((request, response) => {
    requests.push(request)
    const answer = answers.get(request.url ?? '') ?? problem(404, 'NotFound')
    answer(response, request)
  })
  return {
    url: origin,
    requests,
    on: (path, answer) => void answers.set(path, answer),
    close: release,
  }
}

export const geoJson =
  (body: unknown): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/geo+json' }).end(JSON.stringify(body))
  }

/** Returns one of the service's errors, as a problem document. */
export const problem =
  (status: number, kind: string): Answer =>
  (response) => {
    const type = `https://api.weather.gov/problems/${kind}`
    const body = { type, title: kind, status, detail: 'secret detail', correlationId: '5f8e' }
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body))
  }

/** Sends the head, and the first bytes of a body that never ends. */
export const stalled: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/geo+json' }).write('{"properties":')
}

/** Returns the reply to `/points/{latitude},{longitude}`. */
export const pointAnswer = (forecast: string | null): object => ({
  '@context': ['https://geojson.org/geojson-ld/geojson-context.jsonld'],
  id: 'https://api.weather.gov/points/39.7392,-104.9903',
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [-104.9903, 39.7392] },
  properties: {
    '@type': 'wx:Point',
    cwa: 'BOU',
    gridId: 'BOU',
    gridX: 63,
    gridY: 62,
    forecast,
    relativeLocation: {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [-104.8759, 39.7626] },
      properties: { city: 'Denver', state: 'CO', distance: { unitCode: 'wmoUnit:m', value: 1200 } },
    },
    timeZone: 'America/Denver',
  },
})

/**
 * The reply to `/gridpoints/{office}/{x},{y}/forecast`: fourteen periods, alternating between day and night.
 */
export const forecastAnswer: object = {
  type: 'Feature',
  geometry: { type: 'Polygon', coordinates: [] },
  properties: {
    units: 'us',
    generatedAt: '2025-06-01T12:00:00+00:00',
    updateTime: '2025-06-01T11:00:00+00:00',
    periods: Array.from({ length: 14 }, (_, index) => ({
      number: index + 1,
      name: index % 2 === 0 ? `Day ${index}` : `Night ${index}`,
      startTime: '2025-06-01T06:00:00-06:00',
      endTime: '2025-06-01T18:00:00-06:00',
      isDaytime: index % 2 === 0,
      temperature: 70 + index,
      temperatureUnit: 'F',
      temperatureTrend: null,
      probabilityOfPrecipitation: { unitCode: 'wmoUnit:percent', value: index === 0 ? null : 20 },
      windSpeed: '5 to 10 mph',
      windDirection: 'SW',
      icon: 'https://api.weather.gov/icons/land/day/few?size=medium',
      shortForecast: 'Sunny',
      detailedForecast: 'Sunny, with a high near 70.',
    })),
  },
}

/** The reply to `/alerts/active?area={state}`. */
export const alertsAnswer: object = {
  type: 'FeatureCollection',
  features: [
    {
      id: 'https://api.weather.gov/alerts/urn:oid:2.49.0.1.840.0.1',
      type: 'Feature',
      geometry: null,
      properties: {
        areaDesc: 'Boulder; Jefferson',
        sent: '2025-06-01T12:00:00-06:00',
        status: 'Actual',
        messageType: 'Alert',
        severity: 'Severe',
        certainty: 'Likely',
        urgency: 'Expected',
        event: 'Winter Storm Warning',
        headline: 'Winter Storm Warning issued June 1 at noon',
        description: 'Heavy snow.',
        instruction: 'Stay home.',
      },
    },
    {
      type: 'Feature',
      properties: { areaDesc: 'Weld', severity: 'Minor', event: 'Frost Advisory', headline: null },
    },
  ],
  title: 'Current watches, warnings, and advisories for Colorado',
  updated: '2025-06-01T12:00:00+00:00',
}
