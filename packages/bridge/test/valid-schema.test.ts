import Ajv2020 from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modelSchema } from '../src/model-schema.ts'
import { validSchema } from '../src/valid-schema.ts'

const ajv = new Ajv2020.default({ strict: false, logger: false, unicodeRegExp: false })

const KEYWORDS =
  '$schema $id id $ref $dynamicRef $anchor $dynamicAnchor $defs definitions $comment $vocabulary $recursiveAnchor ' +
  'type enum const title description default examples deprecated readOnly writeOnly format ' +
  'multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern contentEncoding ' +
  'items prefixItems additionalItems maxItems minItems uniqueItems contains maxContains minContains ' +
  'properties patternProperties additionalProperties propertyNames required dependentRequired dependentSchemas ' +
  'dependencies maxProperties minProperties unevaluatedItems unevaluatedProperties contentSchema ' +
  'allOf anyOf oneOf not if then else x-own'

const NAMES = ['a', 'b', '$x', 'a/b', '__proto__', 'a b', '']
const TYPES = 'string STRING object array any float date int'
const REFERENCES =
  '# #/ #/$defs/a #/properties/a #/$defs/a~1b #/% #/definitions/a%20b #a #b a.json https://x.test/s#/$defs/a'
const PATTERNS = '^[a-z]+$ [ ^[\\w-.]+$'
const TEXTS = [
  ...NAMES,
  ...`${TYPES} ${REFERENCES} ${PATTERNS} http://json-schema.org/draft-07/schema#`.split(' '),
]

const { schema: ANYTHING } = fc.letrec<{ schema: object; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(true, false, null, 0, 1, -1, 0.5, [], {}, [null], ['a', 'a'], ['a', 1]),
    fc.constantFrom(...TEXTS),
    fc.json().map((text) => JSON.parse(text) as unknown),
    tie('schema'),
    fc.array(tie('schema'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 3 }),
  ),
  schema: fc.dictionary(fc.constantFrom(...KEYWORDS.split(' ')), tie('value'), { maxKeys: 6 }),
}))

/** Makes a copy through JSON, without shared objects and undefined values. */
const fromServer = (schema: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema)) as Record<string, unknown>

interface Level {
  readonly items?: Level
}

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }

describe('validSchema with a partly valid schema', () => {
  it.each<[string, object, object]>([
    [
      'a tuple of draft-07',
      { items: [TEXT, NUMBER], additionalItems: false },
      { prefixItems: [TEXT, NUMBER], items: false },
    ],
    ['a tuple of draft-07 without further items', { items: [TEXT, null] }, { prefixItems: [TEXT, {}] }],
    ['an empty tuple', { type: 'array', items: [] }, { type: 'array' }],
    ['an exclusive limit of draft-04', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ['an inclusive limit of draft-04', { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    ['an unknown type', { type: 'any', description: 'x' }, { description: 'x' }],
    ['an unknown type among others', { type: ['string', 'file'] }, {}],
    [
      "another language's types",
      { type: ['Int', 'float', 'STRING'] },
      { type: ['integer', 'number', 'string'] },
    ],
    ['an empty list of types', { type: [] }, {}],
    [
      'a property that declares itself required',
      { properties: { a: { ...TEXT, required: true }, b: { required: false } } },
      { properties: { a: TEXT, b: {} }, required: ['a'] },
    ],
    ['a `required` that is null', { required: null, properties: { a: TEXT } }, { properties: { a: TEXT } }],
    ['a `required` with other values', { required: ['a', 1, 'a'] }, { required: ['a'] }],
    ['an empty enum', { ...TEXT, enum: [] }, TEXT],
    ['an enum with a value twice', { enum: ['a', 'b', 'a'] }, { enum: ['a', 'b'] }],
    ['empty choices', { ...TEXT, anyOf: [], oneOf: [], allOf: [] }, TEXT],
    ['choices that are none', { anyOf: [null, TEXT, 'x'] }, { anyOf: [TEXT] }],
    ['properties of PHP', { properties: [] }, { properties: {} }],
    [
      'a property that is no schema',
      { properties: { a: 'string', b: null } },
      { properties: { a: {}, b: {} } },
    ],
    [
      'keywords of the wrong type',
      {
        description: null,
        minLength: '3',
        pattern: 5,
        uniqueItems: 'yes',
        multipleOf: 0,
        examples: 'x',
        default: null,
      },
      { default: null },
    ],
    [
      'limits that are none',
      {
        minLength: -1,
        maxLength: 1.5,
        minItems: 0,
        maximum: '1',
        minimum: null,
        multipleOf: -1,
        uniqueItems: 1,
        maxContains: -1,
        minContains: 0,
      },
      { minItems: 0, minContains: 0 },
    ],
    ['a small multiple', { multipleOf: 0.5 }, { multipleOf: 0.5 }],
    [
      'both exclusive limits of draft-04',
      { minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
      { exclusiveMinimum: 1, exclusiveMaximum: 2 },
    ],
    ['an exclusive limit of nothing', { exclusiveMinimum: true }, {}],
    [
      'a property that is required, beside others',
      { properties: { a: { required: true }, b: { required: 'true' }, c: true }, required: ['c'] },
      { properties: { a: {}, b: {}, c: true }, required: ['c', 'a'] },
    ],
    [
      'dependents that are no names',
      { dependentRequired: { a: ['b', 1], c: 'd', e: ['f'] } },
      { dependentRequired: { a: ['b'], e: ['f'] } },
    ],
    ['dependents that are no object', { dependentRequired: [] }, {}],
    [
      'names that are no patterns',
      { patternProperties: { '(': TEXT, '^a': TEXT, '[\\w-.]': 5 } },
      { patternProperties: { '^a': TEXT, '[\\w-.]': {} } },
    ],
    ['maps that are none', { properties: ['a'], $defs: 'x', definitions: [] }, { definitions: {} }],
    ['a tuple with what is no schema', { prefixItems: [5, TEXT] }, { prefixItems: [{}, TEXT] }],
    ['anchors that are no names', { $anchor: '1', $dynamicAnchor: 5 }, {}],
    [
      'values of any kind',
      { default: { a: 1 }, const: { type: 'any' } },
      { default: { a: 1 }, const: { type: 'any' } },
    ],
    ['keywords of older drafts', { id: 'x', $id: 'y', dependencies: {}, additionalItems: true }, {}],
    ['one type among many', { type: ['string', 'String'] }, { type: ['string'] }],
    ['a type that is a number', { type: 5 }, {}],
    ...Object.entries({
      integer: ['int', 'int32', 'INT64', 'long'],
      number: ['float', 'double', 'decimal'],
      string: ['str', 'text'],
      object: ['dict', 'map'],
      boolean: ['bool'],
      array: ['list'],
      null: ['none'],
    }).flatMap(([type, others]) =>
      others.map((other): [string, object, object] => [`the type ${other}`, { type: other }, { type }]),
    ),
    ['a pattern that does not compile', { ...TEXT, pattern: '(' }, TEXT],
    [
      'another draft',
      { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { a: TEXT } },
      { definitions: { a: TEXT } },
    ],
    ['unknown keywords', { 'x-a': 1, 'x-b': ['a'], 'x-c': { $anchor: '' } }, { 'x-a': 1, 'x-b': ['a'] }],
    [
      'anything at any depth',
      { anyOf: [{ not: { contains: { type: 'any' } } }] },
      { anyOf: [{ not: { contains: {} } }] },
    ],
  ])('keeps the valid parts of %s', (_, given, expected) => {
    expect(validSchema(given as never)).toEqual(expected)
  })

  it.each([
    ['to another document', 'other.json#/a'],
    ['to nothing', '#/$defs/none'],
    ['to a value that is not a schema', '#/properties/ref/description'],
    ['to a default', '#/properties/value/default'],
    ['to a missing anchor', '#none'],
    ['to a duplicate anchor', '#twice'],
    ['that cannot be decoded', '#/%'],
    ['to an anchor without a hash', 'xonce'],
    ['that is a number', 5],
  ])('drops a reference %s', (_, $ref) => {
    const properties = { ref: { $ref, description: 'x' }, value: { default: { type: 'any' } } }
    const once = { $anchor: 'once' }
    const $defs = { a: { $anchor: 'twice' }, b: { $dynamicAnchor: 'twice' }, once }
    expect(modelSchema({ type: 'object', properties, $defs }).schema).toEqual({
      type: 'object',
      properties: { ...properties, ref: { description: 'x' } },
      $defs: { a: {}, b: {}, once },
    })
  })

  it('keeps references that point to a schema', () => {
    const $ref = ['#', '#/$defs/a%20b', '#/$defs/c~1d/anyOf/1', '#here']
    const schema = {
      type: 'object',
      properties: Object.fromEntries($ref.map((ref, i) => [`p${i}`, { $ref: ref }])),
      $defs: { 'a b': TEXT, 'c/d': { anyOf: [TEXT, NUMBER] }, e: { $anchor: 'here' } },
    }
    expect(modelSchema(schema).schema).toBe(schema)
  })
})

describe('validSchema', () => {
  it('converts any value to a valid 2020-12 schema without dangling references', () => {
    fc.assert(
      fc.property(ANYTHING, fc.boolean(), (given, complete) => {
        const dialect = complete ? { complete: true as const, keys: /^[\w.-]{1,64}$/ } : {}
        const { schema } = modelSchema(fromServer(given), dialect)
        expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true)
        expect(() => ajv.compile(schema)).not.toThrow()
        ajv.removeSchema(schema)
        expect(schema.type).toBe('object')
      }),
      { numRuns: 500 },
    )
  })

  it('keeps 28 levels of nesting', () => {
    let deep: object = TEXT
    for (let i = 0; i < 40; i++) deep = { items: deep }
    let levels = 0
    let at: Level = validSchema(deep as never)
    for (; at.items !== undefined; at = at.items) levels++
    expect([levels, at]).toEqual([29, {}])
  })

  it('converts schemas of any nesting depth', () => {
    let deep: object = { type: 'any', $ref: '#/none' }
    for (let i = 0; i < 200; i++) deep = { items: deep }
    const { schema } = modelSchema({ type: 'object', properties: { deep } })
    expect(ajv.validateSchema(schema)).toBe(true)
    expect(() => ajv.compile(schema)).not.toThrow()
  })

  it('returns a valid schema unchanged', () => {
    fc.assert(
      fc.property(ANYTHING, (given) => {
        const once = validSchema(fromServer(given))
        expect(validSchema(once)).toBe(once)
      }),
    )
  })
})
