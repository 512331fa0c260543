import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineTool, McpServer, result } from '../../../src/index.ts'
import { modernClient } from '../../support/modern-client.ts'
import { openPeer } from '../../support/peer.ts'

interface Node {
  readonly name: string
  readonly children: readonly Node[]
}
const Node: z.ZodType<Node> = z.object({
  name: z.string(),
  get children() {
    return z.array(Node)
  },
})
const tree = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'array',
  items: { anyOf: [{ $ref: '#' }, { type: 'string' }] },
} as const

function create(): McpServer {
  const server = new McpServer({ name: 'wrap', version: '1' }, { logger: silent })
  server.addTool({
    name: 'array',
    outputSchema: z.array(z.object({ id: z.string() })),
    wrapOutput: 'items',
    handler: () => [{ id: 'a' }, Object.assign({ id: 'b' }, { more: 1 })],
  })
  server.addTool({ name: 'number', outputSchema: z.number(), wrapOutput: 'total', handler: () => 5 })
  server.addTool({
    name: 'either',
    outputSchema: z.union([z.object({ id: z.string() }), z.string()]),
    wrapOutput: 'found',
    handler: () => ({ id: 'a' }),
  })
  server.addTool({
    name: 'recursive',
    outputSchema: z.array(Node),
    wrapOutput: 'items',
    handler: () => [{ name: 'a', children: [] }],
  })
  server.addTool({ name: 'root', outputSchema: tree, wrapOutput: 'items', handler: () => [['x']] })
  server.addTool({
    name: 'literal',
    outputSchema: z.array(z.number()),
    wrapOutput: 'items',
    handler: () => ({ content: [{ type: 'text', text: 'One' }], structuredContent: [1] }),
  })
  server.addTool({
    name: 'failure',
    outputSchema: z.array(z.number()),
    wrapOutput: 'items',
    handler: () => result({ content: 'No', structured: { why: 'x' }, isError: true }),
  })
  server.addTool({
    name: 'wrong',
    outputSchema: z.array(z.number()),
    wrapOutput: 'items',
    handler: () => ['x'] as unknown as number[],
  })
  return server
}

type Request = (method: string, params?: object) => Promise<{ readonly result: Record<string, unknown> }>

async function request(version: string, server = create()): Promise<Request> {
  if (version === '2026-07-28') return modernClient(server)
  const peer = await openPeer(server, { version })
  return (method, params) => peer.request(method, params)
}
const call = async (version: string, name: string, server?: McpServer) => {
  const { content, structuredContent, isError } = (
    await (
      await request(version, server)
    )('tools/call', { name })
  ).result
  return { content, structuredContent, isError }
}
const schemasOf = async (version: string) => {
  const { tools } = (await (await request(version))('tools/list')).result
  const list = tools as readonly { readonly name: string; readonly outputSchema?: object }[]
  return Object.fromEntries(list.map(({ name, outputSchema }) => [name, outputSchema]))
}
const text = (json: string): object[] => [{ type: 'text', text: json }]
const ids = [{ id: 'a' }, { id: 'b' }]
const closed = { type: 'object', additionalProperties: false }

describe.each(['2025-06-18', '2025-11-25'])('`wrapOutput` for a client that uses %s', (version) => {
  it('publishes an object schema that contains the original schema', async () => {
    expect(await schemasOf(version)).toMatchObject({
      array: {
        ...closed,
        properties: { items: { type: 'array', items: { properties: { id: { type: 'string' } } } } },
        required: ['items'],
      },
      number: { ...closed, properties: { total: { type: 'number' } }, required: ['total'] },
    })
  })

  it("rewrites references to the schema's root", async () => {
    const { recursive, root } = await schemasOf(version)
    const place = '#/properties/items'
    expect(root).toMatchObject({
      $schema: tree.$schema,
      properties: { items: { items: { anyOf: [{ $ref: place }, { type: 'string' }] } } },
    })
    const pointers = JSON.stringify(recursive).match(/#[^"]*/g) ?? []
    expect(pointers.length).toBeGreaterThan(0)
    expect(pointers.filter((pointer) => !pointer.startsWith(place))).toEqual([])
  })

  it.each<[string, string, unknown]>([
    ['array', JSON.stringify(ids), { items: ids }],
    ['number', '5', { total: 5 }],
    ['either', '{"id":"a"}', { found: { id: 'a' } }],
    ['root', '[["x"]]', { items: [['x']] }],
  ])('wraps the structured value, and leaves the text unchanged: %s', async (name, json, wrapped) => {
    expect(await call(version, name)).toEqual({ content: text(json), structuredContent: wrapped })
  })

  it("wraps the structuredContent of a result in the protocol's form", async () => {
    const { content, structuredContent } = await call(version, 'literal')
    expect([content, structuredContent]).toEqual([[...text('One'), ...text('[1]')], { items: [1] }])
  })

  it('wraps the new value if middleware replaces the value returned by the handler', async () => {
    const server = create()
    server.use('tools/call', async (_ctx, next) => ({ ...(await next()), structuredContent: [{ id: 'z' }] }))
    expect((await call(version, 'array', server)).structuredContent).toEqual({ items: [{ id: 'z' }] })
  })

  it('does not wrap the value of an error result, because no schema describes it', async () => {
    expect(await call(version, 'failure')).toMatchObject({ isError: true, structuredContent: { why: 'x' } })
  })

  it('validates the value before wrapping it', async () => {
    expect(await call(version, 'wrong')).toMatchObject({ isError: true, structuredContent: undefined })
  })
})

it('`wrapOutput` leaves values unwrapped in 2026-07-28, where structured values can have any type', async () => {
  expect(await call('2026-07-28', 'array')).toEqual({
    content: text(JSON.stringify(ids)),
    structuredContent: ids,
  })
  expect((await schemasOf('2026-07-28'))['array']).toMatchObject({ type: 'array' })
})

it.each(['2024-11-05', '2025-03-26'])(
  '`wrapOutput` sends only text to a client that uses %s',
  async (version) => {
    expect(await call(version, 'array')).toEqual({ content: text(JSON.stringify(ids)) })
    expect((await schemasOf(version))['array']).toBeUndefined()
  },
)

describe('an invalid `wrapOutput`', () => {
  const list = z.array(z.string())
  it.each<[string, object, string]>([
    ['without an outputSchema', { wrapOutput: 'items' }, 'without an outputSchema; add one'],
    [
      'for an object schema',
      { wrapOutput: 'items', outputSchema: z.object({ a: z.string() }) },
      'is an object already; remove wrapOutput',
    ],
    [
      'for a boolean',
      { wrapOutput: true, outputSchema: list },
      'needs a name such as "items" as its wrapOutput',
    ],
    [
      'for an empty name',
      { wrapOutput: '', outputSchema: list },
      'needs a name such as "items" as its wrapOutput',
    ],
    [
      'for a path',
      { wrapOutput: 'a/b', outputSchema: list },
      'needs a name such as "items" as its wrapOutput',
    ],
  ])('is rejected when the tool is added: %s', (_name, rest, problem) => {
    const server = new McpServer({ name: 'wrap', version: '1' })
    expect(() => server.addTool({ name: 't', ...rest, handler: () => [] })).toThrow(
      expect.objectContaining({
        code: 'ERR_MCP_INVALID_DEFINITION',
        message: expect.stringMatching(/^The tool "t"/) as string,
      }),
    )
    expect(() => server.addTool({ name: 't', ...rest, handler: () => [] })).toThrow(problem)
  })

  it('is a compile error if the schema has a static type', () => {
    const types = (): void => {
      defineTool({ name: 't', outputSchema: list, wrapOutput: 'items', handler: () => [] })
      defineTool({ name: 't', outputSchema: { type: 'array' }, wrapOutput: 'items', handler: () => [] })
      // @ts-expect-error there is no outputSchema
      defineTool({ name: 't', wrapOutput: 'items', handler: () => [] })
      const object = z.object({ a: z.string() })
      // @ts-expect-error the value is already an object
      defineTool({ name: 't', outputSchema: object, wrapOutput: 'items', handler: () => ({ a: 'x' }) })
    }
    expect(types).toBeTypeOf('function')
  })
})
