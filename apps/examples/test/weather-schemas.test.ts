import type { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { Client, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { server as jsonSchema } from '../src/tools/weather-json-schema.ts'
import { server as valibot } from '../src/tools/weather-valibot.ts'
import { server as zod3 } from '../src/tools/weather-zod3.ts'
import { server as zod4 } from '../src/tools/weather-zod4.ts'

const SERVERS: Readonly<Record<string, McpServer>> = {
  'zod 3': zod3,
  'zod 4': zod4,
  valibot,
  'JSON Schema': jsonSchema,
}

async function connect(server: McpServer): Promise<{ client: Client; close: () => Promise<void> }> {
  const handler = toFetch(server)
  const client = new Client({ name: 'test', version: '1.0.0' })
  const url = new URL('http://localhost/mcp')
  await client.connect(
    new StreamableHTTPClientTransport(url, { fetch: (to, init) => handler(new Request(to, init)) }),
  )
  const close = async (): Promise<void> => {
    await client.close()
    await handler.close({ deadline: 0 })
  }
  return { client, close }
}

/** Removes additionalProperties, because the libraries set it differently, and it has no effect on outputs. */
const withoutClosing = (tools: readonly Tool[]): Tool[] =>
  JSON.parse(JSON.stringify(tools), (key, value: unknown) =>
    key === 'additionalProperties' ? undefined : value,
  ) as Tool[]

const byName = (tools: readonly Tool[]): Tool[] => tools.toSorted((a, b) => a.name.localeCompare(b.name))

describe.each(Object.entries(SERVERS))('the weather server written with %s', (_, server) => {
  let client: Client
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ client, close } = await connect(server))
  })
  afterAll(() => close())

  it('publishes the same schema as the other libraries', async () => {
    const { tools } = await client.listTools()
    const four = await connect(zod4)
    expect(byName(withoutClosing(tools))).toEqual(
      byName(withoutClosing((await four.client.listTools()).tools)),
    )
    await four.close()
    expect(byName(tools).map(({ name }) => name)).toEqual(['get_alerts', 'get_forecast'])
    expect(tools.find(({ name }) => name === 'get_forecast')?.inputSchema).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 1, maxLength: 100, description: 'Name of the city' },
        days: { type: 'integer', minimum: 1, maximum: 3, default: 2 },
        unit: { type: 'string', enum: ['C', 'F'] },
      },
      required: ['city'],
    })
  })

  it('applies the default, and returns structured content and text', async () => {
    const { structuredContent, content } = await client.callTool({
      name: 'get_forecast',
      arguments: { city: 'Oslo' },
    })
    expect(structuredContent).toEqual({
      city: 'Oslo',
      days: [
        { date: '2026-01-05', high: -2, low: -9, sky: 'clear' },
        { date: '2026-01-06', high: 0, low: -4, sky: 'snow' },
      ],
    })
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  })

  it('accepts optional properties, and discards unknown ones', async () => {
    const args = { city: 'Oslo', days: 1, unit: 'F', more: true }
    const { structuredContent } = await client.callTool({ name: 'get_forecast', arguments: args })
    expect(structuredContent).toMatchObject({ days: [{ high: 28, low: 16 }] })
  })

  it('wraps a list in an object', async () => {
    const call = (state: string): ReturnType<Client['callTool']> =>
      client.callTool({ name: 'get_alerts', arguments: { state } })
    expect((await call('NY')).structuredContent).toEqual({
      alerts: [{ event: 'Snow squall warning', area: 'Albany' }],
    })
    expect((await call('CA')).structuredContent).toEqual({ alerts: [] })
  })

  it.each<[string, string, object, string]>([
    ['no city', 'get_forecast', {}, 'city'],
    ['an empty city', 'get_forecast', { city: '' }, 'city'],
    ['a city that is too long', 'get_forecast', { city: 'x'.repeat(101) }, 'city'],
    ['a fractional number of days', 'get_forecast', { city: 'Oslo', days: 1.5 }, 'days'],
    ['too many days', 'get_forecast', { city: 'Oslo', days: 4 }, 'days'],
    ['an unknown unit', 'get_forecast', { city: 'Oslo', unit: 'K' }, 'unit'],
    ['an invalid state code', 'get_alerts', { state: 'ny' }, 'state'],
  ])('reports %s to the model', async (_case, name, args, field) => {
    const { isError, content } = await client.callTool({ name, arguments: { ...args } })
    expect(isError).toBe(true)
    expect(content).toMatchObject([{ text: expect.stringContaining(`tool ${name}:\n${field}: `) }])
  })
})
