import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  alertsAnswer,
  type FakeNws,
  fakeNws,
  forecastAnswer,
  geoJson,
  pointAnswer,
  problem,
} from './support/fake-nws.ts'
import type { Serving } from '@jetway-apps/test-support/processes'
import { startWeatherOnHttp } from './support/start-weather.ts'

describe('--live', () => {
  let nws: FakeNws
  let weather: Serving
  let client: Client

  beforeAll(async () => {
    nws = await fakeNws()
    weather = await startWeatherOnHttp('--live', '--api-url', nws.url)
    client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(weather.url)))
  })

  afterAll(async () => {
    await client.close()
    expect(await weather.stop()).toBe(0)
    nws.close()
  })

  it("returns the weather service's forecast", async () => {
    nws.on('/points/39.7392,-104.9903', geoJson(pointAnswer(`${nws.url}/gridpoints/BOU/63,62/forecast`)))
    nws.on('/gridpoints/BOU/63,62/forecast', geoJson(forecastAnswer))
    const { structuredContent } = await client.callTool({
      name: 'get_forecast',
      arguments: { city: 'Denver', days: 7 },
    })
    expect(structuredContent).toMatchObject({ place: 'Denver, CO', source: 'National Weather Service' })
    expect((structuredContent as { periods: unknown[] }).periods).toHaveLength(14)
  })

  it("returns the weather service's alerts", async () => {
    nws.on('/alerts/active?area=CO', geoJson(alertsAnswer))
    const { structuredContent } = await client.callTool({ name: 'get_alerts', arguments: { state: 'co' } })
    expect(structuredContent).toMatchObject({
      alerts: [{ event: 'Winter Storm Warning' }, { event: 'Frost Advisory' }],
    })
  })

  it("reports a service failure without the service's error message", async () => {
    nws.on('/alerts/active?area=WY', problem(500, 'UnexpectedProblem'))
    const { isError, content } = await client.callTool({ name: 'get_alerts', arguments: { state: 'WY' } })
    expect(isError).toBe(true)
    expect(content).toEqual([
      { type: 'text', text: 'The weather service has a problem (HTTP 500). Try again in a minute.' },
    ])
  })
})
