import * as fc from 'fast-check'

type Schema = Readonly<Record<string, unknown>>
type Values = readonly unknown[]

const TREE = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 }, children: { type: 'array', items: { $ref: '#' } } },
  required: ['name'],
  additionalProperties: false,
}

/** Cases for every validator: a name, a schema, valid values and invalid values. */
export const SCHEMA_CASES: readonly (readonly [name: string, schema: Schema, good: Values, bad: Values])[] = [
  [
    'uniqueItems of any value',
    { uniqueItems: true },
    [1, [1, '1']],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
    ],
  ],
  ['uniqueItems that is off', { uniqueItems: false }, [[1, 1]], []],
  ['uniqueItems in alternatives', { anyOf: [{ uniqueItems: true }, { maxItems: 2 }] }, [[1, 1]], [[1, 1, 1]]],
  ['patterns with the flag u', { pattern: '^\\p{Lu}$' }, ['Ä'], ['a']],
  ['relative references', { $defs: { a: { $id: 'a.json', type: 'string' } }, $ref: 'a.json' }, ['a'], [1]],
  ['$async', { $async: true, type: 'string' }, ['a'], [1]],
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
  ['patterns', { type: 'string', pattern: '^\\p{Lu}[a-z]+$' }, ['Ärger'.normalize('NFC'), 'Ab'], ['ab', 'A']],
  ['patterns that are none with the flag u', { type: 'string', pattern: '^[\\w-.]+$' }, ['a-b.c'], ['a b']],
  ['patterns with quotes and slashes', { type: 'string', pattern: '^"\\/`${a}\\u2028$' }, [], ['"/`']],
  [
    'recursion',
    TREE,
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
    'pattern properties and others',
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
    'alternatives that constants distinguish',
    {
      oneOf: [
        { properties: { kind: { const: 'a' }, n: { type: 'number' } }, required: ['kind', 'n'] },
        { properties: { kind: { const: 'b' }, s: { type: 'string' } }, required: ['kind', 's'] },
      ],
    },
    [{ kind: 'a', n: 1 }],
    [{ kind: 'b', s: 1 }, { kind: 'a' }, { kind: 'c' }],
  ],
  [
    'conditions whose clause holds alternatives',
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword
    { if: {}, then: { oneOf: [{}, {}] } },
    [],
    [1, {}],
  ],
  [
    'patterns that refer to the whole',
    {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      maximum: 0,
      patternProperties: { '^a': { $ref: '#' } },
    },
    [{ a: 0 }, { b: 1 }],
    [{ a: 10, 'a/b': {} }],
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
  ['keywords and formats that nobody knows', { type: 'string', format: 'constructor', 'x-a': 1 }, ['a'], [1]],
]

/** For each format, some valid and some invalid values. */
export const FORMAT_VALUES: Values = [
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
  '(',
  -1,
  1.5,
  2 ** 31,
  2 ** 40,
  {},
  null,
]

/** A schema with many keywords. {@link LARGE_VALUES} are often almost valid. */
export const LARGE_SCHEMA: Schema = {
  ...TREE,
  properties: {
    ...TREE.properties,
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

export const LARGE_VALUES: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
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
