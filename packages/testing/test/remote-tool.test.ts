import { remoteTool, type RemoteTool } from '@jetway/client'
import { McpServer } from '@jetway/core'
import { connect } from '@jetway/testing'
import { expect, expectTypeOf, it } from 'vitest'

interface Input {
  readonly id: string
}

it('`callTool` infers the types of a remoteTool', async () => {
  const server = new McpServer({ name: 'shop', version: '1' })
  server.addTool({
    name: 'get_order',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    outputSchema: { type: 'object', properties: { total: { type: 'number' } } },
    handler: ({ id }) => ({ total: String(id).length }),
  })
  await using client = await connect(server)
  const getOrder: RemoteTool<Input, { readonly total: number }> = remoteTool('get_order')
  const { structuredContent } = await client.callTool(getOrder, { id: 'A1' })
  expectTypeOf(structuredContent).toEqualTypeOf<{ readonly total: number } | undefined>()
  expect(structuredContent).toEqual({ total: 2 })
  // @ts-expect-error -- The arguments have the type of the input.
  await client.callTool(getOrder, { id: 1 })
})

it('`callTool` returns unknown for a remoteTool without an output', async () => {
  const server = new McpServer({ name: 'shop', version: '1' })
  server.addTool({ name: 'ping', handler: () => 'pong' })
  await using client = await connect(server)
  const ping: RemoteTool<{ readonly [name: string]: unknown }> = remoteTool('ping')
  const { content, structuredContent } = await client.callTool(ping)
  expectTypeOf(structuredContent).toEqualTypeOf<unknown>()
  expect(content).toEqual([{ type: 'text', text: 'pong' }])
})
