import { createValidator, type JsonSchema } from '@jetway/json-schema'
import { describe, expect, it } from 'vitest'
import { expectSame } from './support/expect-same.ts'

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

describe('keywords for arrays', () => {
  const LISTS = [[], ['x'], ['x', 'x'], ['x', 'x', 'x'], [1], ['x', 1], [1, 'x'], ['x', 1, 1], 5]

  it.each<[string, JsonSchema]>([
    [DRAFT_2020, { prefixItems: [TEXT], unevaluatedItems: false }],
    [DRAFT_2020, { prefixItems: [TEXT], items: { type: 'number' } }],
    [DRAFT_2020, { prefixItems: [TEXT, true, { type: 'number' }] }],
    [DRAFT_2020, { unevaluatedItems: TEXT }],
    [
      DRAFT_2019,
      {
        anyOf: [{ minItems: 3, items: true }, { items: [TEXT, true] }, { items: [TEXT] }],
        unevaluatedItems: { type: 'number' },
      },
    ],
    [DRAFT_2019, { contains: true, maxContains: 1 }],
    [DRAFT_2019, { contains: TEXT, minContains: 0 }],
    [DRAFT_2019, { contains: TEXT, minContains: 2, maxContains: 2 }],
    [DRAFT_2019, { contains: TEXT, minContains: 3, maxContains: 2 }],
    [DRAFT_2019, { items: [TEXT], additionalItems: { type: 'number' } }],
    [DRAFT_07, { contains: TEXT, maxContains: 1 }],
    [DRAFT_07, { additionalItems: false }],
    [DRAFT_07, { prefixItems: [], items: false }],
    [DRAFT_07, { items: [true], additionalItems: false }],
  ])('agree with ajv: %s %j', ($schema, schema) => {
    const values = LISTS.map((p) => ({ p }))
    const verdicts = expectSame({ $schema, properties: { p: schema } }, values)
    expect(verdicts).toContain(true)
  })

  it.each<[unknown, unknown]>([
    [{}, ''],
    [{}, []],
    [{}, null],
    [[], null],
    [null, {}],
    [{ a: 1 }, { b: 1 }],
    [[1, 2], { 0: 1, 1: 2 }],
    ['{"a":1}', { a: 1 }],
    ['[1]', [1]],
    [[1, 2], [1]],
    ['1', 1],
  ])('distinguish %j from %j in const, enum and uniqueItems', (a, b) => {
    const schema = {
      properties: { const: { const: { v: a } }, enum: { enum: [{ v: a }] }, list: { uniqueItems: true } },
    }
    const values = [
      { list: [a, b] },
      { const: { v: b } },
      { enum: { v: b } },
      { const: { v: a } },
      { list: [a, a] },
    ]
    expect(expectSame(schema, values)).toEqual([true, false, false, true, false])
  })
})

describe('keywords for objects', () => {
  const OBJECTS = [
    {},
    { a: 1 },
    { a: 'x' },
    { b: 'x' },
    { a: 1, b: 1 },
    { a: 1, b: 'x' },
    { ab: 1 },
    { a: 1, b: 'x', c: 1 },
    { c: 1 },
    5,
  ]

  it.each<JsonSchema>([
    { maxProperties: 1 },
    { minProperties: 1 },
    { minProperties: 2, maxProperties: 2 },
    { required: ['a', 'b'] },
    { patternProperties: { '^a': NUMBER } },
    { patternProperties: { '^a': NUMBER, b$: TEXT } },
    { patternProperties: { '^a': true }, additionalProperties: false },
    { patternProperties: { '^a': true, b$: TEXT }, unevaluatedProperties: false },
    { properties: { a: true }, unevaluatedProperties: false },
    { properties: { a: NUMBER, b: TEXT }, additionalProperties: NUMBER },
    { properties: {}, unevaluatedProperties: TEXT },
    { additionalProperties: true, unevaluatedProperties: false },
    { propertyNames: { maxLength: 1 } },
    { propertyNames: false },
    { dependentRequired: { a: ['b'] } },
    { dependentRequired: { a: ['b', 'c'], b: [] } },
    { dependencies: { a: ['b'], b: { required: ['c'] } } },
    { dependentSchemas: { a: { properties: { b: TEXT } }, c: true }, unevaluatedProperties: false },
    { anyOf: [{ properties: { a: NUMBER } }, { properties: { b: TEXT } }], unevaluatedProperties: false },
    { oneOf: [{ required: ['a'], properties: { a: TEXT } }, { required: ['b'] }] },
    {
      allOf: [{ properties: { a: NUMBER } }, { patternProperties: { b: TEXT } }],
      unevaluatedProperties: false,
    },
    { if: { required: ['a'] }, else: { required: ['b'] } },
    {
      if: { properties: { a: NUMBER }, required: ['a'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword
      then: { properties: { b: TEXT } },
      unevaluatedProperties: false,
    },
    { not: { required: ['a'] } },
    { not: {} },
    { const: { a: 1 } },
  ])('agree with ajv: %j', (schema) => {
    for (const $schema of [DRAFT_07, DRAFT_2019]) {
      const values = OBJECTS.map((p) => ({ p }))
      expect(expectSame({ $schema, properties: { p: schema } }, values)).toHaveLength(OBJECTS.length)
    }
  })
})

describe('keywords for strings and numbers', () => {
  const VALUES = [0, 1, 1.5, 2, 0.3, -1, '', 'x', 'xx', 'xxx', '2024-02-29', null, true, false, [], {}]

  it.each<JsonSchema>([
    { maximum: 1 },
    { minimum: 1 },
    { exclusiveMaximum: 1 },
    { exclusiveMinimum: 1 },
    { multipleOf: 0.5 },
    { multipleOf: 0.1 },
    { multipleOf: 2 },
    { minLength: 1 },
    { minLength: 3 },
    { maxLength: 1 },
    { pattern: '^x$' },
    { format: 'date' },
    { format: 'int32' },
    { format: 'date', type: 'number' },
    { type: 'integer' },
    { type: 'boolean' },
    { type: ['string', 'null'] },
    { type: 'string', nullable: true },
    { type: ['null', 'number'], nullable: true },
    { const: 1 },
    { const: null },
    { enum: [1, 'x', null] },
    { enum: [{}, []] },
    {
      anyOf: [
        { type: 'string', const: 'x' },
        { type: 'number', maximum: 1 },
      ],
    },
    { oneOf: [TEXT, { maxLength: 1 }, { enum: ['x', 5] }] },
  ])('agree with ajv: %j', (schema) => {
    const verdicts = expectSame({ properties: { p: schema } }, [...VALUES.map((p) => ({ p })), {}])
    expect(new Set(verdicts)).toEqual(new Set([true, false]))
  })

  it.each<[JsonSchema, string]>([
    [{ type: 'null', nullable: false }, 'contradicts nullable'],
    [{ nullable: true }, 'cannot be used without "type"'],
    [{ id: 'x' }, 'use "$id" for schema ID'],
    [{ properties: { p: { $async: true, type: 'string' } } }, 'async schema in sync schema'],
  ])('make `createValidator` throw for schemas that ajv rejects: %j', (schema, message) => {
    expect(() => expectSame({ not: schema }, [])).toThrow(message)
    expect(() => createValidator({ not: schema })).toThrow(message)
  })
})
