import { REVISIONS } from '@jetway/core/protocol'
import { connect, type TestClient } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it } from 'vitest'
import { embeddedSource } from '../src/embedded-source.ts'
import { createWeatherServer } from '../src/server.ts'

expect.extend(matchers)

describe.each(REVISIONS)('the weather server, for clients that use $version', ({ version }) => {
  const open = (): Promise<TestClient> =>
    connect(createWeatherServer({ source: embeddedSource() }), { revision: version })

  it('returns a forecast', async () => {
    await using client = await open()
    await client.listTools()
    expect(await client.callTool('get_forecast', { city: 'Denver', days: 1 })).toHaveText(/Denver, CO/)
  })

  it('lists the known cities in the error for an unknown city', async () => {
    await using client = await open()
    expect(await client.callTool('get_forecast', { city: 'Paris' })).toBeToolError(/Known are .*Denver/)
  })

  it('has a prompt, a resource template, and resources that can be listed and read', async () => {
    await using client = await open()
    const [prompt] = await client.listPrompts()
    expect(prompt?.name).toBeDefined()
    const [city] = await client.listResources()
    const { contents } = await client.readResource(city?.uri ?? '')
    expect(contents).toHaveLength(1)
    const [template] = await client.listResourceTemplates()
    expect(template?.uriTemplate).toContain('{')
  })
})
