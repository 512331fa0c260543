import { describe, expect, it } from 'vitest'
import { createValidator, dialectOf, findDuplicates } from '@jetway/json-schema'

describe('createValidator', () => {
  it('reports the same first error as ajv', () => {
    const validator = createValidator({
      type: 'object',
      properties: { a: { type: 'array', items: { required: ['b'] } } },
      additionalProperties: false,
    })
    expect(validator.errors({ a: [{ b: 1 }] })).toEqual([])
    const data = { b2: 1 }
    expect(validator.errors({ a: [{ b: 1 }, data] })).toEqual([
      {
        keyword: 'required',
        instancePath: '/a/1',
        schemaPath: '#/properties/a/items/required',
        params: { missingProperty: 'b' },
        message: "must have required property 'b'",
        schema: ['b'],
        data,
      },
    ])
  })

  it("reports the errors from all alternatives before the keyword's own error", () => {
    const validator = createValidator({ anyOf: [{ type: 'string' }, { minimum: 3 }] })
    expect(validator.errors(1).map(({ keyword, schemaPath }) => [keyword, schemaPath])).toEqual([
      ['type', '#/anyOf/0/type'],
      ['minimum', '#/anyOf/1/minimum'],
      ['anyOf', '#/anyOf'],
    ])
  })

  it.each<[string, object, RegExp]>([
    [
      'a keyword with a wrong value',
      { minLength: 'x' },
      /^schema is invalid: data\/minLength must be integer/,
    ],
    ['an unknown type', { type: 'text' }, /^schema is invalid: data\/type must be equal to one of/],
    ['a reference that leads nowhere', { $ref: '#/$defs/a' }, /^can't resolve reference #\/\$defs\/a/],
    [
      'a reference to another document',
      { $ref: 'https://a.test/b' },
      /^can't resolve reference https:\/\/a\.test/,
    ],
    [
      'a part with the id of a metaschema',
      { $defs: { a: { $id: 'https://json-schema.org/draft/2020-12/schema', type: 'string' } } },
      /^reference "https:\/\/json-schema\.org\/draft\/2020-12\/schema" resolves to more than one schema/,
    ],
    ['properties that are null', { properties: null }, /^schema is invalid: data\/properties must be object/],
    ['a bad pattern', { pattern: '(' }, /^Invalid regular expression/],
    [
      'an unknown dialect',
      { $schema: 'https://a.test/schema' },
      /^the dialect "https:\/\/a\.test\/schema" is not/,
    ],
  ])('throws for %s', (_, schema, message) => {
    expect(() => createValidator({ ...schema })).toThrow(message)
  })

  it('does not check the schema against the metaschema if validateSchema is false', () => {
    const schema = { properties: { a: { minLength: 1 } }, required: 'a' }
    expect(() => createValidator(schema)).toThrow('schema is invalid: data/required must be array')
    const unused = { $defs: { a: { type: 7 } }, minLength: 1 }
    expect(createValidator(unused, { validateSchema: false }).isValid('')).toBe(false)
  })

  it('resolves references against the nearest $id', () => {
    const validator = createValidator({
      $id: 'https://a.test/root',
      $defs: { word: { $id: 'word', type: 'string' } },
      properties: {
        a: { $id: 'inner/', $defs: { word: { $id: 'word', type: 'number' } }, items: { $ref: 'word' } },
      },
      items: { $ref: 'word' },
    })
    expect([[1], ['x']].map((value) => validator.isValid({ a: value }))).toEqual([true, false])
    expect([[1], ['x']].map((value) => validator.isValid(value))).toEqual([false, true])
  })

  it.each<[string, object[]]>([
    ['all properties, then one', [{ additionalProperties: true }, { properties: { a: true } }]],
    ['one property, then all', [{ properties: { a: true } }, { additionalProperties: true }]],
    ['one property each', [{ properties: { a: true } }, { properties: { b: true } }]],
  ])('combines the properties evaluated by several branches: %s', (_, branches) => {
    const oneOf = branches.map((branch) => ({ anyOf: [{ required: ['none'] }, branch] }))
    const validator = createValidator({ allOf: oneOf, unevaluatedProperties: false })
    expect(validator.isValid({ a: 1, b: 2 })).toBe(true)
    const alone = createValidator({ anyOf: [{ type: 'object' }], allOf: oneOf, unevaluatedProperties: false })
    expect(alone.isValid({ a: 1, b: 2 })).toBe(true)
    const always = createValidator({ allOf: branches, unevaluatedProperties: false })
    expect(always.isValid({ a: 1, b: 2 })).toBe(true)
  })

  it.each<[string, object]>([
    ['properties', { properties: { p: true } }],
    ['all branches', { allOf: [{ properties: { p: true } }] }],
    ['another reference', { allOf: [{ $ref: '#/$defs/p' }] }],
    ['the branch that applies', { anyOf: [{ required: ['p'], properties: { p: true } }, {}] }],
  ])('combines the properties evaluated by a reference and by %s', (_, others) => {
    const one = (name: string): object => ({ required: [name], properties: { [name]: true } })
    const validator = createValidator({
      $defs: { p: { properties: { p: true } }, either: { anyOf: [one('a'), one('b')] } },
      ...others,
      $ref: '#/$defs/either',
      unevaluatedProperties: false,
    })
    const values = [
      { p: 1, a: 1 },
      { p: 1, b: 1 },
      { p: 1, a: 1, c: 1 },
    ]
    expect(values.map((value) => validator.isValid(value))).toEqual([true, true, false])
  })

  it('counts the checked values in its steps', () => {
    const validator = createValidator({ type: 'array', items: { type: 'number' } })
    expect(validator.steps()).toBe(0)
    validator.isValid(Array.from({ length: 1_000 }, () => 1))
    expect(validator.steps()).toBeGreaterThanOrEqual(1_000)
    expect(validator.steps()).toBeLessThan(3_000)
  })

  const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'

  it.each<[string, object]>([
    ['the root', { $ref: '#' }],
    [
      'in a property',
      { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/a', type: 'string' } } },
    ],
    [
      'two schemas in turn',
      {
        $ref: '#/$defs/a',
        $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { oneOf: [{ $ref: '#/$defs/a' }] } },
      },
    ],
    ['an alternative', { anyOf: [{ type: 'string' }, { not: { $ref: '#' } }] }],
    ['a condition', { if: { $ref: '#' }, else: { minLength: 1 } }],
    ['what depends on a property', { dependentSchemas: { a: { $ref: '#' } } }],
    ['a recursive reference', { $schema: DRAFT_2019, allOf: [{ $recursiveRef: '#' }] }],
    ['a dynamic reference', { $dynamicAnchor: 'p', $dynamicRef: '#p' }],
    [
      'a dynamic reference whose anchor has not been met',
      {
        $ref: '#/$defs/a',
        $dynamicRef: '#p',
        unevaluatedProperties: false,
        $defs: { a: { properties: { x: true } }, p: { $dynamicAnchor: 'p' } },
      },
    ],
    [
      'a dynamic reference whose anchor is met for some values',
      {
        anyOf: [{ properties: { a: { $ref: '#/$defs/p' } } }, { $dynamicRef: '#p' }],
        $defs: { p: { $dynamicAnchor: 'p', type: 'string' } },
      },
    ],
  ])('throws for a schema that refers to itself without going deeper into the value: %s', (_, schema) => {
    expect(() => createValidator({ ...schema })).toThrow(/leads back to its own schema without going into/)
  })

  it('compiles each reference once, even if many paths lead to it', () => {
    const both = (name: string): object => ({ allOf: [{ $ref: name }, { $ref: name }] })
    const levels = Array.from({ length: 24 }, (_, i) => [`level${i}`, both(`#/$defs/level${i + 1}`)] as const)
    const $defs = { ...Object.fromEntries(levels), level24: { type: 'string' } }
    const start = process.cpuUsage()
    createValidator({ $ref: '#/$defs/level0', $defs })
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1_000).toBeLessThan(300)
  })

  it.each(['not', 'if', 'items', 'additionalProperties', 'x-unknown'])(
    'finds an $id nested in %s',
    (keyword) => {
      const part = { $id: 'https://a.test/part', type: 'string' }
      const $defs = { a: { [keyword]: part } }
      const validator = createValidator({ $ref: 'https://a.test/part', $defs })
      expect([validator.isValid('text'), validator.isValid(1)]).toEqual([true, false])
    },
  )

  it.each(['const', 'default', 'enum'])('ignores an $id in the value of %s', (keyword) => {
    const value = { $id: 'https://a.test/part', type: 'string' }
    const schema = { [keyword]: keyword === 'enum' ? [value] : value, $ref: 'https://a.test/part' }
    expect(() => createValidator(schema)).toThrow(/^can't resolve reference https:\/\/a\.test\/part/)
  })

  it('follows recursive references that go deeper into the value', () => {
    const validator = createValidator({
      $dynamicAnchor: 'p',
      type: 'object',
      properties: { a: { allOf: [{ $ref: '#/$defs/b' }] } },
      additionalProperties: { $ref: '#' },
      $defs: { b: { required: ['c'], $dynamicRef: '#p' } },
    })
    const values = [{}, { a: { c: { c: {} } } }, { a: {} }, { a: { c: 1 } }]
    expect(values.map((value) => validator.isValid(value))).toEqual([true, true, false, false])
  })

  it('throws RangeError for a value that is nested too deeply', () => {
    let value: unknown = []
    for (let i = 0; i < 100_000; i++) value = [value]
    const validator = createValidator({ items: { $ref: '#' } })
    expect(() => validator.isValid(value)).toThrow(RangeError)
    expect(() => validator.errors(value)).toThrow(RangeError)
  })
})

it.each([
  ['\uFFFFa', 2],
  ['\u{10000}', 1],
  ['😀a', 2],
  ['a😀', 2],
  ['\uD83D', 1],
  ['', 0],
])('`minLength` and `maxLength` count code points: %j has the length %i', (text, length) => {
  const isValid = (schema: object): boolean => createValidator({ ...schema }).isValid(text)
  expect([isValid({ minLength: length }), isValid({ maxLength: length })]).toEqual([true, true])
  expect([isValid({ minLength: length + 1 }), length > 0 && isValid({ maxLength: length - 1 })]).toEqual([
    false,
    false,
  ])
})

it('`dialectOf` returns the dialect of $schema', () => {
  expect(dialectOf({})).toBe('draft-2020-12')
  expect(dialectOf({ $schema: 'http://json-schema.org/draft-07/schema#' })).toBe('draft-07')
  expect(dialectOf({ $schema: 'https://json-schema.org/draft/2019-09/schema' })).toBe('draft-2019-09')
  expect(() => dialectOf({ $schema: 'https://json-schema.org/draft-04/schema' })).toThrow('not supported')
})

it.each<[unknown[], readonly [number, number] | undefined]>([
  [[1, '1', [1], { a: 1 }, null, true], undefined],
  [
    [1, 2, 1],
    [0, 2],
  ],
  [
    [{ a: 1, b: [2] }, 3, { b: [2], a: 1 }],
    [0, 2],
  ],
  [
    [
      [1, 2],
      [2, 1],
    ],
    undefined,
  ],
])('`findDuplicates` returns the positions of the first duplicates: %j → %j', (items, pair) => {
  expect(findDuplicates(items)).toEqual(pair)
})
