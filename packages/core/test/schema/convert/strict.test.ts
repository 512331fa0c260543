import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { z as z3 } from 'zod3'

import { McpServer } from '../../../src/server/mcp-server.ts'
import { describeIssues } from '../../../src/schema/issues.ts'
import type { AnySchema, JsonSchema } from '../../../src/schema/types.ts'
import { zod3 } from '@jetway/zod3'
import { openPeer } from '../../support/peer.ts'
import { engine, inputSite } from '../helpers.ts'

const strictly = (schema: AnySchema): unknown => engine.input(schema, inputSite, { strict: true }).jsonSchema

async function check(schema: AnySchema, value: unknown): Promise<unknown> {
  const checked = await engine.input(schema, inputSite, { strict: true }).check(value)
  return checked.ok ? checked.value : { refused: describeIssues(checked.issues) }
}

const unknown = (name: string): object => ({ refused: `${name}: is not a known property` })

describe.each<[string, AnySchema]>([
  ['zod 4', z.object({ a: z.string(), deep: z.array(z.object({ n: z.number().default(1) })).default([]) })],
  [
    'zod 3',
    zod3(z3.object({ a: z3.string(), deep: z3.array(z3.object({ n: z3.number().default(1) })).default([]) })),
  ],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({
        a: v.string(),
        deep: v.optional(v.array(v.object({ n: v.optional(v.number(), 1) })), []),
      }),
    ),
  ],
  [
    'arktype',
    type({
      a: 'string',
      deep: type({ n: 'number = 1' })
        .array()
        .default(() => []),
    }),
  ],
])('`strictInput` with %s', (_, schema) => {
  it('publishes additionalProperties: false for every object', () => {
    expect(strictly(schema)).toMatchObject({
      additionalProperties: false,
      properties: { deep: { items: { additionalProperties: false } } },
    })
  })

  it('accepts known properties and applies defaults', async () => {
    expect(await check(schema, { a: 'x' })).toEqual({ a: 'x', deep: [] })
    expect(await check(schema, { a: 'x', deep: [{}] })).toEqual({ a: 'x', deep: [{ n: 1 }] })
  })

  it('names unknown properties at any depth', async () => {
    expect(await check(schema, { a: 'x', z: 1 })).toEqual(unknown('z'))
    expect(await check(schema, { a: 'x', deep: [{}, { n: 1, z: 1 }] })).toEqual(unknown('deep[1].z'))
    expect(await check(schema, JSON.parse('{"a":"x","__proto__":1}'))).toEqual(unknown('__proto__'))
  })

  it('reports a misspelt property as both missing and unknown', async () => {
    const { refused } = (await check(schema, { aa: 'x' })) as { refused: string }
    expect(refused).toMatch(/^a: /)
    expect(refused).toContain('aa: is not a known property')
  })
})

describe('`strictInput` with zod', () => {
  it.each<[string, AnySchema, unknown]>([
    ['loose objects', z.looseObject({}), { z: 1 }],
    ['objects with a catch-all', z.object({}).catchall(z.number()), { z: 1 }],
    ['records', z.object({ r: z.record(z.string(), z.number()) }), { r: { z: 1 } }],
    ['anything', z.object({ any: z.any() }), { any: { z: 1 } }],
    ['zod 3 passthrough objects', zod3(z3.object({}).passthrough()), { z: 1 }],
    ['zod 3 records', zod3(z3.object({ r: z3.record(z3.number()) })), { r: { z: 1 } }],
  ])('allows unknown properties in %s', async (_, schema, value) => {
    expect(await check(schema, value)).toEqual(value)
  })

  const A = z.object({ a: z.string() })
  const B = z.object({ b: z.number() })

  it.each<[string, AnySchema, object, object, string]>([
    ['intersections', A.and(B), { a: 'x', b: 1 }, { a: 'x', b: 1, z: 1 }, 'z'],
    [
      'intersections with a union',
      A.and(z.union([B, z.object({ c: z.string() })])),
      { a: 'x', b: 1 },
      { a: 'x', c: 'y', z: 1 },
      'z',
    ],
    [
      'intersections with references',
      A.meta({ id: 'StrictX' }).and(z.union([B.meta({ id: 'StrictY' }), z.object({ c: z.string() })])),
      { a: 'x', b: 1 },
      { a: 'x', b: 1, z: 1 },
      'z',
    ],
    [
      'discriminated unions',
      z.discriminatedUnion('k', [
        z.object({ k: z.literal('a'), n: z.number() }),
        z.object({ k: z.literal('b'), m: z.number() }),
      ]),
      { k: 'b', m: 1 },
      { k: 'b', m: 1, n: 1 },
      'n',
    ],
    [
      'unions by reference',
      z.object({ u: z.union([A.meta({ id: 'StrictA' }), B]) }),
      { u: { a: 'x' } },
      { u: { a: 'x', z: 1 } },
      'u.z',
    ],
    [
      'zod 3 intersections',
      zod3(z3.object({ a: z3.string() }).and(z3.object({ b: z3.number() }))),
      { a: 'x', b: 1 },
      { a: 'x', b: 1, z: 1 },
      'z',
    ],
  ])('rejects unknown properties in %s', async (_, schema, good, bad, name) => {
    expect(await check(schema, good)).toEqual(good)
    const { refused } = (await check(schema, bad)) as { refused: string }
    expect(refused).toContain(`${name}: is not a known property`)
  })

  it('rejects unknown properties at any depth of a recursive schema', async () => {
    const Tree = z.object({
      v: z.number(),
      get kids() {
        return z.array(Tree)
      },
    })
    expect(await check(Tree, { v: 1, kids: [{ v: 2, kids: [] }] })).toEqual({
      v: 1,
      kids: [{ v: 2, kids: [] }],
    })
    expect(await check(Tree, { v: 1, kids: [{ v: 2, kids: [], z: 1 }] })).toEqual(unknown('kids[0].z'))
  })

  it('lets zod coerce values that the JSON Schema rejects', async () => {
    const schema = z.object({ n: z.coerce.number(), at: z.string().transform(Number) })
    expect(await check(schema, { n: '5', at: '7' })).toEqual({ n: 5, at: 7 })
  })

  it('waits for asynchronous validation', async () => {
    const schema = z.object({ a: z.string().refine(async () => true) })
    expect(await check(schema, { a: 'x' })).toEqual({ a: 'x' })
    expect(await check(schema, { a: 'x', z: 1 })).toEqual(unknown('z'))
  })
})

describe('`strictInput` with any library', () => {
  const a = { properties: { a: {} } }
  const b = { properties: { b: {} } }
  const $defs = { a, b }
  const [refA, refB] = [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }]
  const closed = { additionalProperties: false }
  const joined = { unevaluatedProperties: false }
  const publishing = (published: JsonSchema): AnySchema => ({
    '~standard': {
      version: 1,
      vendor: 'made-by-hand',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object', ...published }), output: () => ({}) },
    },
  })

  it.each<[string, JsonSchema, JsonSchema]>([
    ['allOf of objects', { allOf: [a, b] }, { allOf: [a, b], ...joined }],
    ['allOf of unions', { allOf: [a, { anyOf: [a, b] }] }, { allOf: [a, { anyOf: [a, b] }], ...joined }],
    ['allOf inside allOf', { allOf: [{ allOf: [a, b] }, a] }, { allOf: [{ allOf: [a, b] }, a], ...joined }],
    ['allOf of references', { allOf: [refA, refB], $defs }, { allOf: [refA, refB], $defs, ...joined }],
    [
      'allOf of an object and another schema',
      { allOf: [refA, {}], $defs },
      { allOf: [refA, {}], $defs: { a, b: { ...b, ...closed } } },
    ],
    [
      'a union of an object and another schema',
      { allOf: [{ oneOf: [a, b] }, true] },
      { allOf: [{ oneOf: [a, b] }, true] },
    ],
    [
      'a union',
      { anyOf: [a, b] },
      {
        anyOf: [
          { ...a, ...closed },
          { ...b, ...closed },
        ],
      },
    ],
    [
      'a nested allOf',
      { properties: { a: { allOf: [a, b] } } },
      { properties: { a: { allOf: [a, b], ...joined } }, ...closed },
    ],
  ])(
    'disallows unknown properties in objects that no other schema describes: %s',
    (_, published, expected) => {
      expect(strictly(publishing(published))).toEqual({ properties: {}, type: 'object', ...expected })
    },
  )

  it('rejects an allOf that refers to itself', () => {
    expect(() => strictly(publishing({ allOf: [{ $ref: '#' }, a] }))).toThrow('leads back to its own schema')
  })
})

describe('`strictInput` with JSON Schema', () => {
  it('adds additionalProperties: false at the root, and leaves nested objects unchanged', async () => {
    const schema = { type: 'object', properties: { a: { type: 'object', properties: {} } } }
    expect(strictly(schema)).toEqual({ ...schema, additionalProperties: false })
    expect(await check(schema, { a: { z: 1 } })).toEqual({ a: { z: 1 } })
    expect(await check(schema, { z: 1 })).toEqual(unknown('z'))
  })

  it.each<[string, object]>([
    ['additionalProperties', { additionalProperties: { type: 'number' } }],
    ['patternProperties', { patternProperties: { '^x-': {} } }],
    ['properties in subschemas', { allOf: [{ properties: { a: {} } }] }],
  ])('leaves the root open if the schema has %s', (_, more) => {
    expect(strictly({ type: 'object', ...more })).toEqual({ type: 'object', properties: {}, ...more })
  })
})

describe('the `strictInput` option', () => {
  const inputSchema = z.object({ a: z.string() })
  const call = async (server: McpServer, name: string): Promise<unknown> => {
    const peer = await openPeer(server)
    const { result } = await peer.request('tools/call', { name, arguments: { a: 'x', z: 1 } })
    await peer.close()
    return result
  }
  const refused = {
    content: [{ type: 'text', text: 'Invalid arguments for the tool a:\nz: is not a known property' }],
    isError: true,
  }
  const taken = { content: [{ type: 'text', text: '{"a":"x"}' }] }
  const offer = (server?: boolean, tool?: boolean): McpServer => {
    const made = new McpServer(
      { name: 's', version: '1' },
      server === undefined ? {} : { tools: { strictInput: server } },
    )
    const handler = (args: object): object => args
    made.addTool({ name: 'a', inputSchema, handler, ...(tool !== undefined && { strictInput: tool }) })
    return made
  }

  it.each([
    ['is off by default', undefined, undefined, taken],
    ['applies to all tools of a server', true, undefined, refused],
    ['is overridden by a tool', true, false, taken],
    ['is turned on by a tool', undefined, true, refused],
  ])('%s', async (_, server, tool, expected) => {
    expect(await call(offer(server, tool), 'a')).toEqual(expected)
  })
})
