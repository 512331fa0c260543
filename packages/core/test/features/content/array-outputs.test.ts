import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { McpServer } from '../../../src/server/mcp-server.ts'
import { zod3 } from '@jetway/zod3'
import { openPeer } from '../../support/peer.ts'

const SESSION_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

describe.each(SESSION_REVISIONS)('a non-object outputSchema for a client that uses %s', (version) => {
  const server = new McpServer({ name: 'outputs', version: '1' }, { logger: silent })
  const list = [{ id: 'a' }, { id: 'b' }]
  server.addTool({
    name: 'zod4',
    outputSchema: z.array(z.object({ id: z.string() })),
    handler: () => [...list, Object.assign({ id: 'c' }, { more: 1 })],
  })
  server.addTool({
    name: 'zod3',
    outputSchema: zod3(z3.array(z3.object({ id: z3.string() }))),
    handler: () => [...list, Object.assign({ id: 'c' }, { more: 1 })],
  })
  server.addTool({
    name: 'json',
    outputSchema: { type: 'array', items: { type: 'object' } },
    handler: () => [...list, { id: 'c' }],
  })
  server.addTool({ name: 'number', outputSchema: z.number(), handler: () => 5 })
  server.addTool({ name: 'nothing', outputSchema: z.null(), handler: () => null })
  server.addTool({
    name: 'wrong',
    outputSchema: z.array(z.number()),
    handler: () => ['x'] as unknown as number[],
  })
  server.addTool({
    name: 'object',
    outputSchema: z.object({ list: z.array(z.string()) }),
    handler: () => ({ list: ['a'] }),
  })

  it('is not published, whereas an object schema is published in revisions with outputSchema', async () => {
    const peer = await openPeer(server, { version })
    const { tools } = (await peer.request('tools/list')).result as { tools: { name: string }[] }
    const publishing = tools.filter((tool) => 'outputSchema' in tool).map(({ name }) => name)
    expect(publishing).toEqual(version >= '2025-06-18' ? ['object'] : [])
    await peer.close()
  })

  it.each([
    ['zod4', '[{"id":"a"},{"id":"b"},{"id":"c"}]'],
    ['zod3', '[{"id":"a"},{"id":"b"},{"id":"c"}]'],
    ['json', '[{"id":"a"},{"id":"b"},{"id":"c"}]'],
    ['number', '5'],
    ['nothing', 'null'],
  ])('causes the value to be sent only as text, without a wrapper: %s', async (name, text) => {
    const peer = await openPeer(server, { version })
    expect((await peer.request('tools/call', { name })).result).toEqual({
      content: [{ type: 'text', text }],
    })
    await peer.close()
  })

  it('is enforced even though it is not published', async () => {
    const peer = await openPeer(server, { version })
    const { result } = await peer.request('tools/call', { name: 'wrong' })
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).not.toContain('x"]')
    await peer.close()
  })
})
