import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

import { checkOutput, engine, outputSite, publishedOutput } from '../helpers.ts'

const A = z.object({ a: z.string() })
const B = z.object({ b: z.number() })
const shapes = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), r: z.number() }),
  z.object({ kind: z.literal('box'), w: z.number(), of: A }),
])
const Tree = z.object({
  v: z.number(),
  get kids() {
    return z.array(Tree)
  },
})
const Shared = z.object({ x: z.number() }).meta({ id: 'PruningShared' })
const Inner = z.object({ in: z.union([A, B]) })

describe('unknown properties in a zod object', () => {
  it.each<[string, z.ZodType, unknown, unknown]>([
    ['are dropped at the root', A, { a: 'x', z: 1 }, { a: 'x' }],
    ['are dropped in nested objects', z.object({ o: A }), { o: { a: 'x', z: 1 }, z: 1 }, { o: { a: 'x' } }],
    [
      'are dropped in arrays',
      z.object({ l: z.array(A) }),
      { l: [{ a: 'x', z: 1 }, { a: 'y' }] },
      { l: [{ a: 'x' }, { a: 'y' }] },
    ],
    ['are dropped in an array at the root', z.array(A), [{ a: 'x', z: 1 }], [{ a: 'x' }]],
    [
      'are dropped in tuples',
      z.tuple([A, B], A),
      [
        { a: '', z: 1 },
        { b: 1, z: 1 },
        { a: '', z: 1 },
      ],
      [{ a: '' }, { b: 1 }, { a: '' }],
    ],
    [
      'are dropped in records, whose keys are all known',
      z.record(z.string(), A),
      { k: { a: 'x', z: 1 } },
      { k: { a: 'x' } },
    ],
    [
      'are dropped in the matching alternative',
      z.object({ u: z.union([A, B]) }),
      { u: { b: 1, z: 1 } },
      { u: { b: 1 } },
    ],
    ['are dropped in the first alternative, if several match', z.union([A, B]), { a: 'x', b: 1 }, { a: 'x' }],
    [
      'are dropped in discriminated unions',
      shapes,
      { kind: 'box', w: 1, r: 2, of: { a: '', z: 1 } },
      { kind: 'box', w: 1, of: { a: '' } },
    ],
    [
      'are dropped in unions of unions',
      z.union([z.string(), z.union([Inner, A])]),
      { in: { b: 1, z: 1 }, z: 1 },
      { in: { b: 1 } },
    ],
    [
      'are dropped in recursive schemas',
      Tree,
      { v: 1, kids: [{ v: 2, kids: [], z: 1 }] },
      { v: 1, kids: [{ v: 2, kids: [] }] },
    ],
    [
      'are dropped behind lazy',
      z.object({ t: z.lazy(() => Tree) }),
      { t: { v: 1, kids: [], z: 1 } },
      { t: { v: 1, kids: [] } },
    ],
    [
      'are dropped behind references',
      z.object({ p: Shared, q: Shared }),
      { p: { x: 1, z: 1 }, q: { x: 2 } },
      { p: { x: 1 }, q: { x: 2 } },
    ],
    [
      'are dropped behind wrappers',
      z.object({ o: A.optional().nullable().default(null).readonly() }),
      { o: { a: 'x', z: 1 } },
      { o: { a: 'x' } },
    ],
    [
      'are dropped behind refinements',
      z.object({ o: A.refine(() => true).describe('d') }),
      { o: { a: 'x', z: 1 } },
      { o: { a: 'x' } },
    ],
    [
      'are dropped behind a pipe',
      z.object({
        o: z
          .string()
          .transform(() => ({ a: 'x' }))
          .pipe(A),
      }),
      { o: { a: 'x', z: 1 } },
      { o: { a: 'x' } },
    ],
    [
      'are dropped in intersections unless either side knows them',
      A.and(B),
      { a: 'x', b: 1, z: 1 },
      { a: 'x', b: 1 },
    ],
    [
      'are dropped in intersections that zod does not merge',
      A.describe('A').and(B),
      { a: 'x', b: 1, z: 1 },
      { a: 'x', b: 1 },
    ],
    [
      'are dropped in intersections with a union',
      z.object({ c: z.null() }).and(z.union([A, B])),
      { c: null, b: 1, z: 1 },
      { c: null, b: 1 },
    ],
    [
      'are dropped in properties that both sides describe',
      z.object({ o: A }).and(z.object({ o: B })),
      { o: { a: '', b: 1, z: 1 } },
      { o: { a: '', b: 1 } },
    ],
    [
      'are dropped after toJSON',
      z.object({ at: z.iso.datetime() }),
      { at: new Date(0), z: 1 },
      { at: '1970-01-01T00:00:00.000Z' },
    ],
    [
      'are dropped even if they are undefined or named __proto__',
      A,
      JSON.parse('{"a":"x","__proto__":1,"constructor":2}'),
      { a: 'x' },
    ],
  ])('%s', (_, schema, value, expected) => {
    const before = structuredClone(value)
    expect(checkOutput(schema, value)).toEqual(expected)
    expect(value).toEqual(before)
  })

  it.each<[string, z.ZodType, unknown]>([
    ['loose objects', z.looseObject({ a: z.string() }), { a: 'x', z: { y: 1 } }],
    ['objects with a catch-all', A.catchall(z.number()), { a: 'x', z: 1 }],
    ['anything', z.object({ o: z.any(), u: z.unknown() }), { o: { z: 1 }, u: [{ z: 1 }] }],
    ['an intersection with a record', A.and(z.record(z.string(), z.string())), { a: 'x', z: 'y' }],
    ['an intersection with anything', A.and(z.any()), { a: 'x', z: { y: 1 } }],
    ['an intersection with a loose object', A.and(z.looseObject({})), { a: 'x', z: 'y' }],
  ])('are kept by %s', (_, schema, value) => {
    expect(checkOutput(schema, value)).toEqual(value)
  })

  it('are dropped even if Object.prototype has a property with the same name', () => {
    const o = { a: 'x', constructor: { y: 1 } }
    expect(checkOutput(z.object({ o: z.looseObject({}) }), { o, z: 1 })).toEqual({ o })
  })

  it('are not reported if the value is null, which is rejected', () => {
    expect(checkOutput(A, null)).toEqual({ refused: 'must be object' })
  })

  it('are dropped from the values of catch-all properties', () => {
    expect(checkOutput(B.catchall(A), { b: 1, z: { a: 'x', y: 1 } })).toEqual({ b: 1, z: { a: 'x' } })
  })

  it.each<[string, z.ZodType, unknown, string]>([
    ['in strict objects', z.strictObject({ a: z.string() }), { a: 'x', z: 1 }, 'z: is not a known property'],
    [
      'in nested strict objects',
      z.object({ o: z.strictObject({}) }),
      { o: { z: 1 }, z: 1 },
      'o.z: is not a known property',
    ],
    ['with the wrong type for a catch-all', A.catchall(z.number()), { a: 'x', z: 'y' }, 'z: must be number'],
  ])('are rejected %s', (_, schema, value, refused) => {
    expect(checkOutput(schema, value)).toEqual({ refused })
  })

  it('are not reported if the value is invalid for other reasons', () => {
    expect(checkOutput(z.object({ o: A }), { o: { a: 1, z: 1 }, z: 1 })).toEqual({
      refused: 'o.a: must be string',
    })
    expect(checkOutput(A.describe('A').and(B), { a: 'x', z: 1 })).toEqual({ refused: 'b: is required' })
    expect(checkOutput(shapes, { kind: 'box', r: 'x', z: 1 })).toEqual({ refused: 'w: is required' })
  })

  it('are those that the matching alternative of a union does not define', () => {
    const schema = z.union([
      z.object({ id: z.string(), n: z.number() }),
      z.object({ id: z.string(), s: z.string() }),
    ])
    expect(checkOutput(schema, { id: 'x', s: 'y', n: 'not a number' })).toEqual({ id: 'x', s: 'y' })
  })

  it('are allowed by the published schema of an intersection, which could otherwise never match', () => {
    expect(JSON.stringify(publishedOutput(A.describe('A').and(B)))).not.toContain('additionalProperties')
  })

  it('cause no change to a JSON string that contains none', () => {
    const json = '{"b":1,   "a":"x"}'
    expect(engine.output(A.describe('A').and(B), outputSite).check({ b: 1, a: 'x' }, json)).toEqual({
      ok: true,
      json,
    })
  })

  it('are kept or dropped exactly as in zod, for random values', () => {
    const Leaf = z.object({ kind: z.literal('leaf'), n: z.number().nullable() })
    const Branch = z.object({
      kind: z.literal('branch'),
      get kids() {
        return z.array(z.union([Leaf, Branch]))
      },
      named: z.record(z.string(), z.object({ a: z.string() })).optional(),
    })
    const extra = fc.dictionary(fc.constantFrom('x', 'n2', 'toString'), fc.jsonValue(), {
      maxKeys: 2,
      noNullPrototype: true,
    })
    const leaf = fc.record({ kind: fc.constant('leaf'), n: fc.option(fc.integer()) })
    const { node } = fc.letrec<{ node: unknown; branch: object }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(leaf, extra).map(([own, more]) => ({ ...more, ...own })),
        tie('branch'),
      ),
      branch: fc
        .tuple(
          fc.array(tie('node'), { maxLength: 3 }),
          extra,
          fc.option(
            fc.dictionary(
              // zod omits this key from records as well.
              fc.string().filter((key) => key !== '__proto__'),
              extra.map((more) => ({ ...more, a: '' })),
            ),
            { nil: undefined },
          ),
        )
        .map(([kids, more, named]) => ({ ...more, kind: 'branch', kids, ...(named && { named }) })),
    }))
    const schema = z.union([Leaf, Branch])
    const compiled = engine.output(schema, outputSite)
    fc.assert(
      fc.property(node, (value) => {
        const json = JSON.stringify(value)
        const checked = compiled.check(value, json)
        expect(checked.ok && JSON.parse(checked.json)).toEqual(schema.parse(JSON.parse(json)))
      }),
      { numRuns: 100 },
    )
  })
})
