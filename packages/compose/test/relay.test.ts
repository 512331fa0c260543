import { connect } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { relay } from '../src/index.ts'
import { create } from './support/servers.ts'

describe('relay', () => {
  it('sends results of every kind as they arrived, with unknown blocks and _meta', async () => {
    const server = create('relays')
    const video = { type: 'video', data: 'aGk=' }
    const _meta = { 'com.example/a': 1 }
    server.addTool({
      name: 'tool',
      handler: () => relay({ content: [video as never], structuredContent: { n: 1 }, isError: true, _meta }),
    })
    server.addResource({
      uri: 'a://b',
      name: 'b',
      handler: () =>
        relay({
          contents: [{ uri: 'a://other', text: 'b' }],
          ttlMs: 5,
          cacheScope: 'public',
          _meta,
        } as never),
    })
    server.addPrompt({
      name: 'prompt',
      handler: () => relay({ messages: [{ role: 'user', content: video as never }], description: 'd' }),
    })
    await using client = await connect(server, { revision: '2026-07-28' })
    expect(await client.request('tools/call', { name: 'tool', arguments: {} })).toMatchObject({
      content: [video],
      structuredContent: { n: 1 },
      isError: true,
      _meta,
    })
    expect(await client.request('resources/read', { uri: 'a://b' })).toMatchObject({
      contents: [{ uri: 'a://other', text: 'b' }],
      ttlMs: 5,
      cacheScope: 'public',
      _meta,
    })
    expect(await client.request('prompts/get', { name: 'prompt' })).toMatchObject({
      messages: [{ role: 'user', content: video }],
      description: 'd',
    })
  })

  it.each([
    undefined,
    'text',
    {},
    { content: 'text' },
    { content: [null] },
    { contents: [7] },
    { messages: [{ role: 'user' }] },
    { content: [], _meta: 'x' },
  ])('refuses %j, which is no result', (value) => {
    expect(() => relay(value as never)).toThrow(TypeError)
  })
})
