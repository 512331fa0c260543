import { describe, expect, it } from 'vitest'
import { z as z4 } from 'zod'
import { z as bundled } from 'zod/v3'
import { z } from 'zod3'

import { UsageError } from '@jetway/core'
import { zod3 } from '../src/index.ts'
import {
  checkInput,
  checkOutput,
  engine,
  inputSite,
  outputSite,
  publishedInput,
  publishedOutput,
} from './helpers.ts'

describe('the JSON Schema of zod3', () => {
  it('is the same as the JSON Schema from zod 4, for both inputs and outputs', () => {
    const build = (lib: typeof z | typeof z4) => {
      const of = lib as typeof z
      return of.object({
        city: of.string().min(1).max(100).describe('Where'),
        days: of.number().int().min(1).max(7).default(3),
        unit: of.enum(['C', 'F']).optional(),
        code: of.string().regex(/^[A-Z]{2}$/),
        ratio: of.number().gt(0).lt(5).multipleOf(0.5),
        on: of.boolean().default(true),
        tags: of.array(of.string()).min(1).max(3),
        limits: of.object({ timeout: of.number(), retries: of.number().int() }).partial(),
        closed: of.object({ a: of.string() }).strict(),
        further: of.object({ a: of.string() }).catchall(of.number()),
        either: of.union([of.object({ a: of.string() }), of.object({ b: of.number() })]),
        size: of.tuple([of.string(), of.number()]).rest(of.boolean()),
        only: of.literal('x'),
      })
    }
    const three = zod3(build(z))
    const four = build(z4) as unknown as z4.ZodType
    // The two versions describe the length of a tuple and the order of properties differently.
    const plain = (schema: unknown): unknown =>
      JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
        if (typeof value !== 'object' || value === null || !('prefixItems' in value)) return value
        const { minItems: _min, ...rest } = value as Record<string, unknown>
        return rest
      })
    expect(plain(publishedInput(three))).toEqual(plain(publishedInput(four)))
    expect(plain(publishedOutput(three))).toEqual(plain(publishedOutput(four)))
  })

  it('uses $ref for a repeated schema, and escapes names in the path', () => {
    const point = z.object({ x: z.number() })
    const schema = zod3(z.object({ 'a/b~c d%': point, size: z.tuple([point]), again: z.array(point) }))
    expect(publishedInput(schema)).toMatchObject({
      properties: {
        size: { prefixItems: [{ $ref: '#/properties/a~1b~0c%20d%25' }] },
        again: { items: { $ref: '#/properties/a~1b~0c%20d%25' } },
      },
    })
    const value = { 'a/b~c d%': { x: 1 }, size: [{ x: 2 }], again: [{ x: 3 }] }
    expect(checkOutput(schema, value)).toEqual(value)
    expect(checkOutput(schema, { ...value, again: [{ x: 'y' }] })).toEqual({
      refused: 'again[0].x: must be number',
    })
  })

  it('is provided by a version 1 Standard Schema, which is created only once per zod 3 schema', () => {
    const schema = z.object({})
    expect(zod3(schema)['~standard']).toMatchObject({ version: 1, vendor: 'zod' })
    expect(zod3(schema)).toBe(zod3(schema))
  })

  it('names its dialect, and rejects a request for another dialect', () => {
    const { jsonSchema } = zod3(z.object({ t: z.tuple([z.string()]) }))['~standard']
    expect(jsonSchema.input({ target: 'draft-2020-12' })).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { t: { prefixItems: [{ type: 'string' }] } },
    })
    expect(() => jsonSchema.output({ target: 'draft-07' })).toThrow('not to draft-07')
  })

  it('distinguishes the alternatives of a union by their tuples', () => {
    const first = z.object({ t: z.tuple([z.string()]), a: z.number() })
    const second = z.object({ t: z.tuple([z.number()]), b: z.number() })
    const schema = zod3(z.object({ u: z.union([first, second]) }))
    expect(checkOutput(schema, { u: { t: [1], b: 2, a: 3 } })).toEqual({ u: { t: [1], b: 2 } })
  })

  it('supports schemas that contain themselves', () => {
    interface Tree {
      v: number
      kids: Tree[]
    }
    const tree: z.ZodType<Tree> = z.object({ v: z.number(), kids: z.lazy(() => z.array(tree)) })
    const schema = zod3(tree)
    expect(publishedInput(schema)).toMatchObject({ properties: { kids: { items: { $ref: '#' } } } })
    const leaf = { v: 2, kids: [], z: 1 }
    expect(checkOutput(schema, { v: 1, kids: [leaf] })).toEqual({ v: 1, kids: [{ v: 2, kids: [] }] })
  })

  it('describes tuples, and uses $ref for a repeated tuple', () => {
    const pair = z.tuple([z.string(), z.number()]).describe('Two')
    expect(publishedInput(zod3(z.object({ a: pair, b: pair })))).toMatchObject({
      properties: {
        a: {
          prefixItems: [{ type: 'string' }, { type: 'number' }],
          items: false,
          minItems: 2,
          description: 'Two',
        },
        b: { $ref: '#/properties/a' },
      },
    })
  })

  it('rejects a union that contains itself directly', () => {
    const endless: z.ZodTypeAny = z.lazy(() => z.union([z.string(), endless]))
    const schema = zod3(z.object({ endless }))
    expect(() => publishedOutput(schema)).toThrow('leads back to its own schema')
  })

  it('requires output properties that cannot be undefined', () => {
    const schema = zod3(
      z.object({
        plain: z.string(),
        nullable: z.string().nullable(),
        filled: z.string().optional().default('x'),
        branded: z.string().brand('b'),
        caught: z.string().catch('x'),
        checked: z.string().refine(() => true),
        joined: z.object({ a: z.string() }).and(z.object({ b: z.string() })),
        later: z.lazy(() => z.string()),
        parsed: z.string().transform(Number).pipe(z.number()),
        half: z.string().optional().and(z.string()),
        left: z.string().optional(),
        nullableLeft: z.string().optional().nullable(),
        brandedLeft: z.string().optional().brand('b'),
        checkedLeft: z
          .string()
          .optional()
          .refine(() => true),
        laterLeft: z.lazy(() => z.string().optional()),
        joinedLeft: z.string().optional().and(z.string().optional()),
        rarely: z.union([z.string(), z.number().optional()]),
        anything: z.any(),
      }),
    )
    expect(publishedOutput(schema)).toMatchObject({
      required: [
        'plain',
        'nullable',
        'filled',
        'branded',
        'caught',
        'checked',
        'joined',
        'later',
        'parsed',
        'half',
      ],
      properties: { parsed: { type: 'number' } },
    })
    expect(publishedInput(schema)).toMatchObject({ properties: { parsed: { type: 'string' } } })
  })

  it('adds "type": "object" to a union of objects', () => {
    const schema = z.discriminatedUnion('k', [
      z.object({ k: z.literal('a'), n: z.number() }),
      z.object({ k: z.literal('b') }),
    ])
    expect(publishedInput(zod3(schema))).toMatchObject({ type: 'object' })
  })
})

describe('validation by zod3', () => {
  const schema = zod3(
    z.object({
      city: z.string(),
      days: z.number().int().default(3),
      at: z.string().transform(Number).optional(),
    }),
  )

  it('applies defaults and transforms to an input, and removes unknown properties', async () => {
    expect(await checkInput(schema, { city: 'Oslo', at: '5', extra: 1 })).toEqual({
      city: 'Oslo',
      days: 3,
      at: 5,
    })
    expect(await checkInput(schema, { city: 1, days: 1.5 })).toEqual({
      refused: 'city: Expected string, received number\ndays: Expected integer, received float',
    })
  })

  it('supports asynchronous refinements', async () => {
    const slow = z.object({ a: z.string().refine(async (a) => a === 'x', 'no') })
    expect(await checkInput(zod3(slow), { a: 'x' })).toEqual({ a: 'x' })
    expect(await checkInput(zod3(slow), { a: 'y' })).toEqual({ refused: 'a: no' })
  })

  it("reports the issues from a union's closest alternative", async () => {
    const shape = z.object({
      of: z.union([z.string(), z.object({ deep: z.union([z.number(), z.object({ n: z.number() })]) })]),
    })
    const slow = shape.extend({ at: z.string().refine(async () => true) })
    for (const each of [shape, slow])
      expect(await checkInput(zod3(each), { of: { deep: { n: 'x' } }, at: 'x' })).toEqual({
        refused: 'of.deep.n: Expected number, received string',
      })
  })

  it.each<[string, z.ZodTypeAny, unknown, unknown]>([
    [
      'objects',
      z.object({ o: z.object({ a: z.string() }) }),
      { o: { a: 'x', z: 1 }, z: 1 },
      { o: { a: 'x' } },
    ],
    ['arrays', z.array(z.object({ a: z.string() })), [{ a: 'x', z: 1 }], [{ a: 'x' }]],
    ['tuples', z.tuple([z.object({})]).rest(z.object({})), [{ z: 1 }, { z: 1 }], [{}, {}]],
    ['records', z.record(z.object({})), { k: { z: 1 } }, { k: {} }],
    ['unions', z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]), { b: 1, z: 1 }, { b: 1 }],
    [
      'discriminated unions',
      z.discriminatedUnion('k', [
        z.object({ k: z.literal('a') }),
        z.object({ k: z.literal('b'), n: z.number() }),
      ]),
      { k: 'b', n: 1, z: 1 },
      { k: 'b', n: 1 },
    ],
    [
      'intersections',
      z.object({ a: z.string() }).and(z.object({ b: z.number() })),
      { a: 'x', b: 1, z: 1 },
      { a: 'x', b: 1 },
    ],
    [
      'wrapped objects',
      z.object({
        o: z
          .object({})
          .brand('b')
          .refine(() => true)
          .nullable()
          .default(null)
          .readonly(),
      }),
      { o: { z: 1 } },
      { o: {} },
    ],
    [
      'what is kept: passthrough',
      z.object({ a: z.string() }).passthrough(),
      { a: 'x', z: 1 },
      { a: 'x', z: 1 },
    ],
    ['what is kept: catch-all', z.object({}).catchall(z.number()), { z: 1 }, { z: 1 }],
  ])('removes unknown properties from outputs in the same way as zod: %s', (_, of, value, expected) => {
    expect(checkOutput(zod3(of), value)).toEqual(expected)
  })

  it('rejects unknown properties of a strict object', () => {
    expect(checkOutput(zod3(z.object({}).strict()), { z: 1 })).toEqual({
      refused: 'z: is not a known property',
    })
  })
})

describe('ERR_MCP_SCHEMA_UNSUPPORTED', () => {
  it.each<[string, z.ZodTypeAny, string]>([
    ['a date', z.object({ from: z.date() }), '"from": ZodDate'],
    ['a bigint in a union', z.union([z.string(), z.bigint()]), '"a": ZodBigInt'],
    ['a nullable bigint', z.bigint().nullable(), '"a": ZodBigInt'],
    ['a map in an array', z.array(z.map(z.string(), z.string())), '"a[]": ZodMap'],
    ['a set in a tuple', z.tuple([z.string(), z.set(z.string())]), '"a[1]": ZodSet'],
    ['undefined', z.undefined(), '"a": ZodUndefined'],
    ['a literal bigint', z.literal(1n), '"a": A literal bigint'],
  ])('names the path to %s, which JSON cannot represent, and a remedy', (_, part, place) => {
    for (const act of [
      () => engine.input(zod3(z.object({ a: part })), inputSite),
      () => engine.output(zod3(z.object({ a: part })), outputSite),
    ]) {
      expect(act).toThrow(/^(in|out)putSchema of tool "get_forecast": at "a/)
      expect(act).toThrow(place.slice(place.lastIndexOf('"') + 2))
      expect(act).toThrow('use a type that JSON has')
    }
  })

  it('is thrown for a transform in an output', () => {
    const schema = zod3(z.object({ n: z.string().transform(Number) }))
    expect(publishedInput(schema)).toMatchObject({ properties: { n: { type: 'string' } } })
    expect(() => engine.output(schema, outputSite)).toThrow('at "n": Transforms')
  })

  it.each<[string, object, RegExp]>([
    [
      'a schema of an older zod 3',
      Object.defineProperty(z.object({}), '~standard', { value: undefined }),
      /3\.25.*update "zod"/,
    ],
    ['a schema of zod 4', z4.object({}), /no schema of zod 3/],
    ['anything else', {}, /no schema of zod 3/],
  ])('names a remedy for %s', (_, schema, remedy) => {
    expect(() => zod3(schema as never)).toThrow(UsageError)
    expect(() => zod3(schema as never)).toThrow(remedy)
  })
})

describe('zod/v3 from zod 4', () => {
  it('is accepted in the same way as zod 3', async () => {
    const schema = zod3(bundled.object({ city: bundled.string(), days: bundled.number().default(3) }))
    expect(await checkInput(schema, { city: 'Oslo' })).toEqual({ city: 'Oslo', days: 3 })
    expect(publishedOutput(schema)).toMatchObject({ required: ['city', 'days'], additionalProperties: false })
  })
})
