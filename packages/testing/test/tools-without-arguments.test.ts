import { McpServer } from '@jetway/core'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeMatrix } from '../src/matrix.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'

const inputs = {
  missing: undefined,
  zod: z.object({}),
  json: { type: 'object' },
  record: z.record(z.string(), z.string()),
} as const

const closed = { type: 'object', properties: {}, additionalProperties: false }
const open = { type: 'object', properties: {} }
const published = {
  missing: closed,
  zod: open,
  json: open,
  record: { ...open, propertyNames: { type: 'string' }, additionalProperties: { type: 'string' } },
}

describeMatrix('a tool without arguments', { transports: HOST_TRANSPORTS }, ({ connect }) => {
  const create = (): McpServer => {
    const server = new McpServer({ name: 'test', version: '1' })
    for (const [name, inputSchema] of Object.entries(inputs)) {
      const handler = (args: object): string => JSON.stringify(args)
      server.addTool({ name, handler, ...(inputSchema !== undefined && { inputSchema }) })
    }
    return server
  }

  it('publishes a schema with properties, because hosts reject schemas without them', async () => {
    const { result } = await (await connect(create())).request('tools/list')
    const tools = result?.['tools'] as readonly { readonly name: string; readonly inputSchema: object }[]
    expect(Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema]))).toEqual(published)
  })

  it('ignores arguments sent by a client', async () => {
    const connection = await connect(create())
    for (const sent of [
      {},
      { arguments: {} },
      { arguments: null },
      { arguments: { dummy: 'x', deep: [{ a: 1 }] } },
    ]) {
      for (const name of ['missing', 'zod']) {
        const { result } = await connection.request('tools/call', { name, ...sent })
        expect(result).toMatchObject({ content: [{ type: 'text', text: '{}' }] })
      }
    }
  })
})
