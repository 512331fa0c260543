import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CITIES } from '../src/cities.ts'
import type { Serving } from '@jetway-apps/test-support/processes'
import { startWeatherOnHttp } from './support/start-weather.ts'

describe.each(['fastify', 'hono'])('the weather server on %s, called by the official client', (adapter) => {
  let weather: Serving
  let client: Client

  beforeAll(async () => {
    weather = await startWeatherOnHttp('--adapter', adapter)
    client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(weather.url)))
  })

  afterAll(async () => {
    await client.close()
    expect(await weather.stop()).toBe(0)
  })

  const call = (name: string, args: Record<string, unknown>): ReturnType<Client['callTool']> =>
    client.callTool({ name, arguments: args })

  it('lists its tools with object schemas that have no anyOf at the root', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['get_alerts', 'get_forecast'])
    for (const tool of tools) {
      expect(tool.inputSchema.type).toBe('object')
      expect(Object.keys(tool.inputSchema)).not.toContain('anyOf')
      expect(tool).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
      })
    }
  })

  it('returns a forecast for a city, for three days by default', async () => {
    const { structuredContent, content } = await call('get_forecast', { city: 'denver' })
    expect(structuredContent).toMatchObject({ place: 'Denver, CO', source: 'sample data' })
    expect((structuredContent as { periods: unknown[] }).periods).toHaveLength(6)
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  })

  it('returns a forecast for a latitude and longitude', async () => {
    const { structuredContent } = await call('get_forecast', { latitude: 40.7, longitude: -74, days: 1 })
    expect(structuredContent).toMatchObject({ place: 'New York, NY' })
  })

  it.each([
    ['no place', {}, 'city'],
    ['two places', { city: 'Denver', latitude: 1, longitude: 1 }, 'city'],
    ['an incomplete place', { latitude: 1 }, 'longitude'],
    ['an unknown city', { city: 'Paris' }, 'Denver'],
    ['a place that has no sample data', { latitude: 48.9, longitude: 2.4 }, 'Denver'],
    ['too many days', { city: 'Denver', days: 8 }, 'days'],
  ])('explains the problem with %s to the model', async (_, args, hint) => {
    const { isError, content } = await call('get_forecast', args)
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain(hint)
  })

  it('returns one text block per alert, and structured content', async () => {
    const { structuredContent, content } = await call('get_alerts', { state: 'tx' })
    expect(structuredContent).toMatchObject({
      state: 'TX',
      alerts: [{ event: 'Flood Warning' }, { event: 'Heat Advisory' }],
    })
    expect(content).toHaveLength(2)
  })

  it('reports that there are no alerts', async () => {
    const { structuredContent, content } = await call('get_alerts', { state: 'CO' })
    expect(structuredContent).toEqual({ state: 'CO', alerts: [] })
    expect(content).toEqual([{ type: 'text', text: 'No weather alerts are in force in CO.' }])
  })

  it.each([{}, { state: 'Texas' }, { state: 'ZZ' }, { state: 7 }])(
    'rejects an invalid state: %j',
    async (args) => {
      const { isError, content } = await call('get_alerts', args)
      expect(isError).toBe(true)
      expect(JSON.stringify(content)).toContain('state')
    },
  )

  it('lists the cities as resources', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['weather://cities', 'weather://cities/new-york']),
    )
    expect(resources).toHaveLength(1 + CITIES.length)
    const { contents } = await client.readResource({ uri: 'weather://cities' })
    expect(contents).toMatchObject([{ uri: 'weather://cities', mimeType: 'application/json' }])
    expect(JSON.parse((contents[0] as { text: string }).text)).toHaveLength(CITIES.length)
  })

  it('has a city template with completion for its variable', async () => {
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates).toMatchObject([
      { uriTemplate: 'weather://cities/{city}', mimeType: 'text/markdown' },
    ])
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'weather://cities/{city}' },
      argument: { name: 'city', value: 'new' },
    })
    expect(completion.values).toEqual(['new-york'])
    const { contents } = await client.readResource({ uri: 'weather://cities/new-york' })
    expect(contents).toMatchObject([
      { mimeType: 'text/markdown', text: expect.stringContaining('# New York, NY') },
    ])
  })

  it('rejects a request to read an unknown city', async () => {
    await expect(client.readResource({ uri: 'weather://cities/paris' })).rejects.toThrow('not found')
  })

  it('has a briefing prompt with completion for its argument', async () => {
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'briefing' },
      argument: { name: 'city', value: 'De' },
    })
    expect(completion.values).toEqual(['Denver'])
    const { messages } = await client.getPrompt({ name: 'briefing', arguments: { city: 'Denver' } })
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('CO') } },
    ])
    await expect(client.getPrompt({ name: 'briefing', arguments: { city: 'Paris' } })).rejects.toThrow(
      'weather://cities',
    )
  })
})
