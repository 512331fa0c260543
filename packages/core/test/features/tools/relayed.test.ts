import { logLines } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { BRAND, type Complete, type Relayed } from '../../../src/compose.ts'
import { McpServer } from '../../../src/index.ts'
import { openPeer } from '../../support/peer.ts'

const INFO = { name: 'test', version: '1' }
const relayed = (result: object): Relayed => ({
  [BRAND]: 'relayed',
  result: { kind: 'complete', result } as Complete,
})

describe('a relayed tool', () => {
  // No validator compiles this.
  const schema = { type: 'object', properties: { p: { type: 'nonsense', pattern: '(' } }, required: 'all' }

  it('is listed with its schemas unchanged, and validates neither arguments nor results', async () => {
    const server = new McpServer(INFO)
    server.addTool({
      name: 'odd',
      relayed: true,
      inputSchema: schema,
      outputSchema: schema,
      strictInput: true,
      handler: (args) => relayed({ content: [], structuredContent: { got: args } }),
    })
    const peer = await openPeer(server)
    expect((await peer.request('tools/list')).result['tools']).toEqual([
      { name: 'odd', inputSchema: schema, outputSchema: schema },
    ])
    const called = await peer.request('tools/call', { name: 'odd', arguments: { q: [1] } })
    expect(called.result).toEqual({ content: [], structuredContent: { got: { q: [1] } } })
  })

  it('passes on unknown blocks, and adapts known ones to the revision', async () => {
    const server = new McpServer(INFO)
    const video = { type: 'video', data: 'aGk=', _meta: { a: 1 } }
    const link = { type: 'resource_link', uri: 'a://b', name: 'b' }
    server.addTool({
      name: 'blocks',
      relayed: true,
      handler: () => relayed({ content: [video, link], _meta: { b: 2 } }),
    })
    const peer = await openPeer(server, { version: '2025-03-26' })
    expect((await peer.request('tools/call', { name: 'blocks' })).result).toEqual({
      content: [video, { type: 'text', text: 'b: a://b' }],
      _meta: { b: 2 },
    })
  })

  it('passes all arguments if it has no schema', async () => {
    const server = new McpServer(INFO)
    server.addTool({ name: 'open', relayed: true, handler: (args) => JSON.stringify(args) })
    const peer = await openPeer(server)
    expect((await peer.request('tools/call', { name: 'open', arguments: { a: 1 } })).result).toMatchObject({
      content: [{ text: '{"a":1}' }],
    })
  })
})

describe('a relayed result', () => {
  it('is not taken for data in prompts and resources', async () => {
    const server = new McpServer(INFO)
    const messages = [{ role: 'user', content: { type: 'text', text: 'hi' } }]
    const contents = [{ uri: 'a://b', text: 'b' }]
    server.addPrompt({ name: 'p', handler: () => relayed({ messages }) })
    server.addResource({ uri: 'a://b', name: 'b', handler: () => relayed({ contents }) })
    const peer = await openPeer(server)
    expect((await peer.request('prompts/get', { name: 'p' })).result).toEqual({ messages })
    expect((await peer.request('resources/read', { uri: 'a://b' })).result).toEqual({ contents })
  })
})

describe('tool.alias', () => {
  const add = (server: McpServer, name: string, alias: string): void =>
    void server.addTool({ name, alias, handler: () => name })
  const call = async (server: McpServer, name: string): Promise<unknown> =>
    (await (await openPeer(server)).request('tools/call', { name })).result?.['content']

  it('names the tool in calls, but is in no list', async () => {
    const server = new McpServer(INFO)
    add(server, 'orders_show', 'show')
    expect(await call(server, 'show')).toMatchObject([{ text: 'orders_show' }])
    const { result } = await (await openPeer(server)).request('tools/list')
    expect((result['tools'] as { name: string }[]).map(({ name }) => name)).toEqual(['orders_show'])
  })

  it('names no tool if two tools claim it, which is logged once', async () => {
    const logger = logLines()
    const server = new McpServer(INFO, { logger })
    add(server, 'a_show', 'show')
    add(server, 'b_show', 'show')
    expect(await call(server, 'show')).toBeUndefined()
    expect(await call(server, 'show')).toBeUndefined()
    expect(logger.lines).toEqual(['warn: Two tools claim the same alias, so it names neither'])
    server.removeTool('a_show')
    expect(await call(server, 'show')).toMatchObject([{ text: 'b_show' }])
  })

  it('gives way to a tool with that name', async () => {
    const server = new McpServer(INFO)
    add(server, 'a_show', 'show')
    server.addTool({ name: 'show', handler: () => 'own' })
    expect(await call(server, 'show')).toMatchObject([{ text: 'own' }])
  })
})
