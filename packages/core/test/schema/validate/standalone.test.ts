import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FORMATS } from '../../../src/schema/validate/formats.ts'
import type { AnySchema, CompiledOutput } from '../../../src/schema/types.ts'
import { cachedOutput } from '../../support/cache.ts'
import { engine, outputSite } from '../helpers.ts'

const check = (compiled: CompiledOutput, value: unknown): unknown =>
  compiled.check(value, JSON.stringify(value))

/** Every value gets from the written code what it gets from the compiled, to the letter. */
async function expectSame(schema: AnySchema, values: readonly unknown[]): Promise<readonly unknown[]> {
  const live = engine.output(schema, outputSite)
  const cached = await cachedOutput(schema)
  expect(cached.jsonSchema).toEqual(live.jsonSchema)
  return values.map((value) => {
    const checked = check(live, value)
    expect(check(cached, value), JSON.stringify(value)).toEqual(checked)
    return (checked as { ok: boolean }).ok
  })
}

const tree = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 }, children: { type: 'array', items: { $ref: '#' } } },
  required: ['name'],
  additionalProperties: false,
}

describe('written validators say what compiled ones say', () => {
  it.each<[string, Record<string, unknown>, readonly unknown[], readonly unknown[]]>([
    [
      'lengths in code points',
      { type: 'string', minLength: 2, maxLength: 3 },
      ['ab', '😀😀', '😀😀😀', '\ud83da'],
      ['a', '😀', 'abcd', 1],
    ],
    [
      'enum of values that are equal, not identical',
      { enum: [1, 'a', { b: [1, { c: null }] }, null] },
      [1, 'a', { b: [1, { c: null }] }, null],
      [2, { b: [1, {}] }, { b: [1, { c: null }], d: 1 }, [], ''],
    ],
    ['const', { const: { a: [1, 2] } }, [{ a: [1, 2] }], [{ a: [2, 1] }, { a: { 0: 1, 1: 2 } }]],
    [
      'uniqueItems',
      { type: 'array', uniqueItems: true },
      [[1, '1', [1], { a: 1 }], []],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [1, 1],
        [[1], [1]],
      ],
    ],
    [
      'uniqueItems of texts',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      [
        ['a', 'b'],
        ['__proto__', 'constructor'],
      ],
      [['a', 'a']],
    ],
    [
      'patterns',
      { type: 'string', pattern: '^\\p{Lu}[a-z]+$' },
      ['Ärger'.normalize('NFC'), 'Ab'],
      ['ab', 'A'],
    ],
    ['patterns that are none with the flag u', { type: 'string', pattern: '^[\\w-.]+$' }, ['a-b.c'], ['a b']],
    ['patterns with quotes and slashes', { type: 'string', pattern: '^"\\/`${a}\\u2028$' }, [], ['"/`']],
    [
      'recursion',
      tree,
      [{ name: 'ab', children: [{ name: 'cd', children: [] }] }],
      [{ name: 'ab', children: [{ name: 'c' }] }, { name: 'ab', x: 1 }, {}],
    ],
    [
      'definitions that refer to one another',
      {
        $defs: {
          a: { type: 'object', properties: { b: { $ref: '#/$defs/b' } } },
          b: { type: 'array', items: { $ref: '#/$defs/a' }, maxItems: 1 },
        },
        $ref: '#/$defs/a',
      },
      [{ b: [{ b: [] }] }],
      [{ b: [{ b: [1, 2] }] }, { b: 1 }],
    ],
    [
      'references into names with slashes',
      { $defs: { 'a/b~c': { type: 'integer' } }, properties: { x: { $ref: '#/$defs/a~1b~0c' } } },
      [{ x: 1 }],
      [{ x: 'a' }],
    ],
    [
      'anchors',
      { $defs: { a: { $anchor: 'here', type: 'string' } }, items: { $ref: '#here' } },
      [['a']],
      [[1]],
    ],
    [
      'dynamic references',
      {
        $id: 'https://a.test/tree',
        $dynamicAnchor: 'node',
        type: 'object',
        properties: { next: { $dynamicRef: '#node' }, n: { type: 'number' } },
        unevaluatedProperties: false,
      },
      [{ next: { next: { n: 1 } } }],
      [{ next: { next: { m: 1 } } }, { n: 'a' }],
    ],
    [
      'unevaluated properties',
      {
        allOf: [
          { properties: { a: true } },
          // oxlint-disable-next-line unicorn/no-thenable
          { if: { required: ['b'] }, then: { properties: { b: { type: 'string' } } } },
        ],
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 'x' }, {}],
      [{ c: 1 }, { a: 1, b: 2 }],
    ],
    [
      'unevaluated properties of what is referred to',
      {
        $defs: { a: { properties: { a: true } } },
        $ref: '#/$defs/a',
        unevaluatedProperties: { type: 'number' },
      },
      [{ a: 'x', b: 1 }],
      [{ b: 'x' }],
    ],
    [
      'unevaluated items',
      { prefixItems: [{ type: 'string' }], contains: { type: 'number' }, unevaluatedItems: false },
      [['a', 1]],
      [['a']],
    ],
    [
      'contains with bounds',
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 2, 1, 1],
      ],
      [[1], [1, 1, 1, 1]],
    ],
    [
      'dependents',
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } },
      [{ a: 1, b: 1 }, {}],
      [{ a: 1 }, { c: 1 }],
    ],
    [
      'property names',
      { propertyNames: { pattern: '^[a-z]+$', maxLength: 3 } },
      [{ abc: 1 }],
      [{ A: 1 }, { abcd: 1 }],
    ],
    [
      'names that objects have anyway',
      { required: ['constructor', 'toString'], properties: { constructor: { type: 'number' } } },
      [{ constructor: 1, toString: 1 }],
      [{}, { constructor: {}, toString: 1 }],
    ],
    [
      'pattern properties beside others',
      {
        patternProperties: { '^x-': { type: 'number' } },
        properties: { a: true },
        additionalProperties: { type: 'string' },
      },
      [{ 'x-a': 1, a: [], b: 'c' }],
      [{ 'x-a': 'b' }, { b: 1 }],
    ],
    [
      'numbers',
      { type: 'number', multipleOf: 0.5, exclusiveMinimum: 0, maximum: 10 },
      [0.5, 10],
      [0, 10.5, 1e300, 0.25],
    ],
    [
      'alternatives told by constants',
      {
        oneOf: [
          { properties: { kind: { const: 'a' }, n: { type: 'number' } }, required: ['kind', 'n'] },
          { properties: { kind: { const: 'b' }, s: { type: 'string' } }, required: ['kind', 's'] },
        ],
      },
      [{ kind: 'a', n: 1 }],
      [{ kind: 'b', s: 1 }, { kind: 'a' }, { kind: 'c' }],
    ],
    ['not', { not: { type: 'object', required: ['a'] } }, [1, {}], [{ a: 1 }]],
    ['boolean schemas', { properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]],
    [
      'draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { a: { type: 'string' } },
        properties: {
          t: { items: [{ type: 'number' }], additionalItems: false },
          r: { $ref: '#/definitions/a', maxLength: 1 },
        },
        dependencies: { r: ['t'] },
      },
      [{ t: [1], r: 'long' }],
      [{ t: [1, 2] }, { r: 'a' }, { r: 1, t: [] }],
    ],
    [
      '2019-09',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        properties: { a: { $recursiveRef: '#' }, n: { type: 'number' } },
        unevaluatedProperties: false,
      },
      [{ a: { a: { n: 1 } } }],
      [{ a: { a: { n: 'x' } } }, { a: { b: 1 } }],
    ],
    [
      'schemas of schemas',
      { properties: { schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } },
      [{ schema: { type: 'object' } }, { schema: true }],
      [{ schema: { type: 'strin' } }, { schema: 1 }],
    ],
    [
      'keywords and formats that nobody knows',
      { type: 'string', format: 'constructor', 'x-a': 1 },
      ['a'],
      [1],
    ],
  ])('%s', async (_, schema, good, bad) => {
    const verdicts = await expectSame(schema, [...good, ...bad])
    expect(verdicts).toEqual([...good.map(() => true), ...bad.map(() => false)])
  })

  it.each(Object.keys(FORMATS))('the format %s', async (format) => {
    await expectSame({ format }, [...TEXTS, -1, 1.5, 2 ** 31, 2 ** 40, {}, null])
  })

  it('properties called __proto__, in the schema and in constants', async () => {
    const schema = JSON.parse(
      '{"$defs":{"__proto__":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/__proto__"},"b":{"const":{"__proto__":1}}}}',
    ) as Record<string, unknown>
    const verdicts = await expectSame(schema, [
      { a: 'x' },
      { b: JSON.parse('{"__proto__":1}') as unknown },
      { a: 1 },
      { b: {} },
    ])
    expect(verdicts).toEqual([true, true, false, false])
  })

  it('alternatives of zod whose unknown properties are dropped', async () => {
    const schema = z.object({
      shape: z.union([
        z.object({ kind: z.literal('circle'), r: z.number() }),
        z.object({ kind: z.literal('square'), side: z.number() }),
        z.string(),
      ]),
      more: z.array(z.object({ a: z.number() }).or(z.object({ b: z.number() }))).optional(),
    })
    const values = [
      { shape: { kind: 'square', side: 1, extra: 1 }, other: 1 },
      {
        shape: { kind: 'circle', r: 1 },
        more: [
          { b: 1, c: 1 },
          { a: 1, b: 2 },
        ],
      },
      { shape: 'x', y: 1 },
      { shape: { kind: 'circle', side: 1 } },
      { shape: {}, more: [{}] },
    ]
    expect(await expectSame(schema, values)).toEqual([true, true, true, false, false])
    const cached = await cachedOutput(schema)
    expect(check(cached, values[0])).toEqual({ ok: true, json: '{"shape":{"kind":"square","side":1}}' })
  })

  it('objects of zod that an intersection joins', async () => {
    const schema = z.object({ a: z.number() }).and(z.object({ b: z.number() }))
    expect(await expectSame(schema, [{ a: 1, b: 1, c: 1 }, { a: 1 }])).toEqual([true, false])
  })

  it('whatever the value is', async () => {
    const schema = {
      ...tree,
      properties: {
        ...tree.properties,
        tags: { type: 'array', uniqueItems: true, items: { enum: ['a', 'b', 1, null, {}] } },
        when: { format: 'date-time' },
        size: {
          oneOf: [
            { type: 'integer', minimum: 0 },
            { type: 'string', pattern: '^\\d+px$' },
          ],
        },
      },
      additionalProperties: { not: { type: 'null' } },
    }
    const live = engine.output(schema, outputSite)
    const cached = await cachedOutput(schema)
    const value = fc.letrec((tie) => ({
      node: fc.record(
        {
          name: fc.oneof(fc.string(), fc.constant('ab')),
          children: fc.array(tie('node'), { maxLength: 2, depthIdentifier: 'n' }),
          tags: fc.array(fc.constantFrom('a', 'b', 1, null, {}, 'c')),
          when: fc.oneof(
            fc.string(),
            fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
          ),
          size: fc.oneof(fc.integer(), fc.double(), fc.constant('12px'), fc.string()),
          other: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    })).node
    fc.assert(
      fc.property(value, (given) => {
        expect(check(cached, given)).toEqual(check(live, given))
      }),
      { numRuns: 300 },
    )
  })
})

const TEXTS = [
  '',
  'a',
  '2024-02-29',
  '12:00:00Z',
  '2024-02-29T12:00:00Z',
  'P1D',
  'https://a.test/b?c#d',
  'a@b.test',
  '1.2.3.4',
  '::1',
  'a.test',
  '/a/b',
  '0/a',
  '#/a',
  '{a}',
  'YQ==',
]
