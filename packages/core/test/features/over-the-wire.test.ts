import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { content, McpServer, result } from '../../src/index.ts'
import { openPeer } from '../support/peer.ts'

const create = (options: object = {}): McpServer =>
  new McpServer({ name: 'test', version: '1' }, { logger: silent, ...options })

const text = (said: string): object => ({ type: 'text', text: said })

/** The result of one tool for a client of each revision. */
async function answers(define: (server: McpServer) => void): Promise<Record<'now' | 'before', unknown>> {
  const server = create()
  define(server)
  const ask = async (version: string): Promise<unknown> =>
    (await (await openPeer(server, { version })).request('tools/call', { name: 't' })).result
  return { now: await ask('2025-11-25'), before: await ask('2025-03-26') }
}

describe('tool results on the wire', () => {
  const bytes = new Uint8Array([1, 2, 3])
  const cases: [string, () => object, object, object?][] = [
    [
      'a link, as text in revisions without links',
      () => content.link({ uri: 'a://b', name: 'b', title: 'B', description: 'More' }),
      { content: [{ type: 'resource_link', uri: 'a://b', name: 'b', title: 'B', description: 'More' }] },
      { content: [text('B: a://b\nMore')] },
    ],
    [
      'all kinds of content at once',
      () => [
        content.text('see'),
        content.image(bytes, 'image/png'),
        content.link({ uri: 'a://b', name: 'b' }),
        content.resource({ uri: 'a://b', blob: bytes }),
      ],
      {
        content: [
          text('see'),
          { type: 'image', data: 'AQID', mimeType: 'image/png' },
          { type: 'resource_link', uri: 'a://b', name: 'b' },
          { type: 'resource', resource: { uri: 'a://b', blob: 'AQID' } },
        ],
      },
      {
        content: [
          text('see'),
          { type: 'image', data: 'AQID', mimeType: 'image/png' },
          text('b: a://b'),
          { type: 'resource', resource: { uri: 'a://b', blob: 'AQID' } },
        ],
      },
    ],
    [
      'an error with several blocks',
      () => result.error([content.text('Unknown operation'), content.text('Try add')]),
      { content: [text('Unknown operation'), text('Try add')], isError: true },
    ],
  ]

  it.each(cases)('contain %s', async (_name, handler, now, before = now) => {
    const answer = await answers((server) => server.addTool({ name: 't', handler }))
    expect(answer).toEqual({ now, before })
  })

  const oldest: [string, () => object, object][] = [
    ['audio', () => content.audio(bytes, 'audio/wav'), text('[audio of type audio/wav]')],
    ['a link', () => content.link({ uri: 'a://b', name: 'b' }), text('b: a://b')],
  ]

  it.each(oldest)('contain %s as text in the oldest revision', async (_name, handler, expected) => {
    const server = create()
    server.addTool({ name: 't', handler })
    const peer = await openPeer(server, { version: '2024-11-05' })
    expect((await peer.request('tools/call', { name: 't' })).result).toEqual({ content: [expected] })
  })
})

describe('tool arguments', () => {
  it('are validated against the new schema after a tool has been replaced', async () => {
    const server = create()
    const add = (city: z.ZodType, options?: object): unknown =>
      server.addTool({ name: 't', inputSchema: z.object({ city }), handler: () => 'x' }, options)
    add(z.string())
    const peer = await openPeer(server)
    const call = async (args: object): Promise<unknown> =>
      (await peer.request('tools/call', { name: 't', arguments: args })).result['isError']
    expect(await call({ city: 'Oslo' })).toBeUndefined()
    add(z.number(), { replace: true })
    expect([await call({ city: 'Oslo' }), await call({ city: 6 })]).toEqual([true, undefined])
  })

  it('are validated by a zod refinement that is published as uniqueItems', async () => {
    const tags = z
      .array(z.string())
      .refine((given) => new Set(given).size === given.length, 'has doubles')
      .meta({ uniqueItems: true })
    const server = create()
    server.addTool({ name: 't', inputSchema: z.object({ tags }), handler: () => 'x' })
    const peer = await openPeer(server)
    expect((await peer.request('tools/list')).result).toMatchObject({
      tools: [{ inputSchema: { properties: { tags: { uniqueItems: true } } } }],
    })
    const { result: answer } = await peer.request('tools/call', {
      name: 't',
      arguments: { tags: ['a', 'a'] },
    })
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('has doubles') as string }],
    })
  })
})

it('the server does not check results against their outputSchema if `validateOutput` is false', async () => {
  const wrong = { high: 'hot' } as unknown as { high: number }
  const outputSchema = z.object({ high: z.number() })
  const server = create({ tools: { validateOutput: false } })
  server.addTool({ name: 't', outputSchema, handler: () => wrong })
  const peer = await openPeer(server)
  expect((await peer.request('tools/call', { name: 't' })).result).toEqual({
    content: [text('{"high":"hot"}')],
    structuredContent: wrong,
  })
})

it.each([
  [{ priority: 2 }, /priority lies between 0 and 1/],
  [{ lastModified: 'yesterday' }, /lastModified is an ISO 8601 time/],
  [{ lastModified: 5 }, /lastModified is an ISO 8601 time/],
  [{ audience: 'user' }, /audience is an array of "user" and "assistant"/],
  [{ audience: ['robot'] }, /audience is an array of "user" and "assistant"/],
])('the server rejects annotations that clients cannot interpret: %j', (annotations, message) => {
  const wrong = annotations as object
  expect(() =>
    create().addResource({ uri: 'a://b', name: 'b', annotations: wrong, handler: () => '' }),
  ).toThrow(message)
  expect(() => content.link({ uri: 'a://b', name: 'b', annotations: wrong })).toThrow(message)
})
