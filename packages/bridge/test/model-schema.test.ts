import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { withSingleTypes } from '../src/index.ts'
import { modelSchema } from '../src/model-schema.ts'

const KEYS = /^[a-zA-Z0-9_.-]{1,64}$/
const TEXT = { type: 'string' }
interface Level {
  readonly type?: string
  readonly items?: Level
}

const DEEP = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { day: { type: 'string' } },
  properties: { on: { $ref: '#/$defs/day' }, by: { oneOf: [TEXT, { type: 'array', items: TEXT }] } },
  required: ['on'],
  additionalProperties: false,
}

describe('modelSchema', () => {
  it('returns an accepted schema unchanged', () => {
    expect(modelSchema(DEEP, { complete: true, keys: KEYS }).schema).toBe(DEEP)
  })

  it('sets the type at the root to object', () => {
    expect(modelSchema({ properties: { a: TEXT } }).schema).toEqual({
      type: 'object',
      properties: { a: TEXT },
    })
    expect(modelSchema({}).schema).toEqual({ type: 'object', properties: {} })
  })

  it.each(['anyOf', 'oneOf'])(
    'removes %s at the root, and requires only the properties that all branches require',
    (key) => {
      const { schema } = modelSchema({
        type: 'object',
        description: 'Either',
        $defs: { x: TEXT },
        properties: { always: TEXT },
        required: ['always'],
        additionalProperties: false,
        [key]: [
          { properties: { file: TEXT, mode: { const: 'a' } }, required: ['mode', 'file'] },
          { properties: { url: TEXT, mode: { const: 'b' } }, required: ['mode', 'url'] },
          { properties: { mode: { const: 'a' } }, required: ['mode'] },
        ],
      })
      expect(schema).toEqual({
        type: 'object',
        description: 'Either',
        $defs: { x: TEXT },
        additionalProperties: false,
        properties: {
          always: TEXT,
          file: TEXT,
          url: TEXT,
          mode: { anyOf: [{ const: 'a' }, { const: 'b' }] },
        },
        required: ['always', 'mode'],
      })
    },
  )

  it('removes allOf at the root, and requires every property that any of its schemas requires', () => {
    expect(
      modelSchema({
        allOf: [
          { properties: { a: TEXT }, required: ['a'] },
          { anyOf: [{ properties: { b: TEXT }, required: ['b'] }] },
        ],
      }).schema,
    ).toEqual({ type: 'object', properties: { a: TEXT, b: TEXT }, required: ['a', 'b'] })
  })

  it('does not require properties that only some branches require', () => {
    expect(
      modelSchema({
        type: 'object',
        properties: { route: TEXT, file: TEXT },
        anyOf: [{ required: ['route'] }, { required: ['file'] }],
      }).schema,
    ).toEqual({ type: 'object', properties: { route: TEXT, file: TEXT } })
  })

  it('resolves only local references', () => {
    const $defs = { 'a/b': { type: 'object', properties: { x: TEXT }, required: ['x'] } }
    expect(modelSchema({ $ref: '#/$defs/a~1b', $defs }).schema).toEqual({
      $defs,
      type: 'object',
      properties: { x: TEXT },
      required: ['x'],
    })
    for (const $ref of ['https://example.com/schema', '#/$defs/none', '#/__proto__', 5])
      expect(modelSchema({ $ref }).schema).toEqual({ type: 'object', properties: {} })
  })

  it('adds `items` to arrays and `properties` to objects if the API needs them', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'array' },
        b: { type: ['array', 'null'] },
        c: { anyOf: [{ type: 'array' }, TEXT] },
        d: { type: 'array', items: { type: 'array' } },
        e: TEXT,
      },
    }
    expect(modelSchema(schema).schema).toBe(schema)
    expect(modelSchema(schema, { complete: true }).schema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'array', items: {} },
        b: { type: ['array', 'null'], items: {} },
        c: { anyOf: [{ type: 'array', items: {} }, TEXT] },
        d: { type: 'array', items: { type: 'array', items: {} } },
        e: TEXT,
      },
    })
    expect(modelSchema({ type: 'object' }, { complete: true }).schema).toEqual({
      type: 'object',
      properties: {},
    })
  })

  it('renames arguments whose names the API rejects', () => {
    const long = 'x'.repeat(70)
    const { schema, originals } = modelSchema(
      {
        type: 'object',
        properties: { $top: TEXT, '@top': TEXT, _top: TEXT, 'filter[id]': TEXT, [long]: TEXT, '': TEXT },
        required: ['$top', '_top', long],
      },
      { keys: KEYS },
    )
    expect([...originals]).toEqual([
      ['_top_2', '$top'],
      ['_top_3', '@top'],
      ['filter_id_', 'filter[id]'],
      ['x'.repeat(56), long],
      ['_', ''],
    ])
    expect(Object.keys(schema['properties'] as object)).toEqual([
      '_top_2',
      '_top_3',
      '_top',
      'filter_id_',
      'x'.repeat(56),
      '_',
    ])
    expect(schema['required']).toEqual(['_top_2', '_top', 'x'.repeat(56)])
  })

  it('collects properties through up to 32 nested references and from up to 256 branches', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        { properties: { [`p${i}`]: TEXT }, $ref: `#/$defs/d${i + 1}` },
      ]),
    )
    const deep = modelSchema({ $defs: chain, $ref: '#/$defs/d0' }).schema['properties'] as object
    expect(Object.keys(deep)).toEqual(Array.from({ length: 32 }, (_, i) => `p${i}`))
    const anyOf = Array.from({ length: 300 }, (_, i) => ({ properties: { [`p${i}`]: TEXT } }))
    const wide = modelSchema({ anyOf }).schema['properties'] as object
    expect(Object.keys(wide)).toEqual(Array.from({ length: 256 }, (_, i) => `p${i}`))
  })

  it('collects at most 10,000 members from branches, at no extra cost for repeated references', () => {
    const properties = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]))
    const collected = (repeated: JsonObject): number => {
      const start = process.cpuUsage()
      const schema = {
        anyOf: Array.from({ length: 256 }, () => ({ $ref: '#/$defs/a' })),
        $defs: { a: repeated },
      }
      const { schema: plain } = modelSchema(schema)
      const { user, system } = process.cpuUsage(start)
      expect((user + system) / 1_000).toBeLessThan(2_000)
      return Object.keys(plain['properties'] as object).length
    }
    expect(collected({ properties: properties(10_000) })).toBe(10_000)
    expect(collected({ properties: properties(10_001) })).toBe(0)
    expect(collected({ properties: properties(9_998), $ref: '#/$defs/a' })).toBe(9_998)
    const required = Object.keys(properties(40_000))
    for (const repeated of [
      { required },
      { allOf: required.map(() => ({})) },
      { anyOf: required.map(() => ({})) },
    ])
      expect(collected(repeated)).toBe(0)
  })

  it('drops required property names that are not strings', () => {
    const branch = { properties: { a: TEXT }, required: ['a', 5] }
    expect(modelSchema({ allOf: [branch, 'x'], oneOf: 'x', required: 'b' }).schema).toEqual({
      type: 'object',
      properties: { a: TEXT },
      required: ['a'],
    })
  })

  it('converts hostile schemas quickly', () => {
    const cycle = {
      $defs: { a: { anyOf: Array.from({ length: 50 }, () => ({ $ref: '#/$defs/a' })) } },
      $ref: '#/$defs/a',
    }
    expect(modelSchema(cycle).schema['type']).toBe('object')
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`$${'?'.repeat(i % 7)}${i}`, TEXT]),
    )
    const before = process.cpuUsage()
    expect(
      modelSchema({ properties, oneOf: [{ properties }, { properties }] }, { keys: KEYS }).originals.size,
    ).toBe(20_000)
    const { user } = process.cpuUsage(before)
    expect(user).toBeLessThan(3_000_000)
    let deep: object = { type: 'array' }
    for (let i = 0; i < 500; i++) deep = { type: 'array', items: deep }
    expect(modelSchema({ properties: { deep } }, { complete: true }).schema['type']).toBe('object')
  })
})

describe('withSingleTypes', () => {
  it('derives the type from the choices and keeps their details', () => {
    const schema = {
      type: 'object',
      $defs: { id: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
      properties: {
        path: { oneOf: [TEXT, { type: 'array', items: TEXT }], default: 'x' },
        tail: { anyOf: [{ type: 'null' }, { type: 'number' }] },
        ref: { $ref: '#/$defs/id' },
        both: { type: ['null', 'boolean'] },
      },
    }
    expect(withSingleTypes(schema)).toEqual({
      type: 'object',
      $defs: { id: { type: 'integer', anyOf: [{ type: 'integer' }, { type: 'string' }] } },
      properties: {
        path: { type: 'string', oneOf: [TEXT, { type: 'array', items: TEXT }], default: 'x' },
        tail: { type: 'number', anyOf: [{ type: 'null' }, { type: 'number' }] },
        ref: { $ref: '#/$defs/id' },
        both: { type: 'boolean' },
      },
    })
  })

  it.each<[object, string | undefined]>([
    [{ enum: [null, 'a'] }, 'string'],
    [{ enum: [1, 2] }, 'integer'],
    [{ const: 1.5 }, 'number'],
    [{ const: null }, 'null'],
    [{ default: [] }, 'array'],
    [{ default: { a: 1 } }, 'object'],
    [{ properties: {} }, 'object'],
    [{ minItems: 1 }, 'array'],
    [{ pattern: 'a' }, 'string'],
    [{ minimum: 1 }, 'number'],
    [{ anyOf: [{ oneOf: [{ type: 'null' }, { const: true }] }] }, 'boolean'],
    [{ type: ['null'] }, 'null'],
    [{ description: 'anything' }, undefined],
    [{ enum: [null] }, 'null'],
    [{ enum: [], const: 'a' }, undefined],
    [{ const: 'a', default: 1 }, 'string'],
    [{ default: null, const: false }, 'boolean'],
    [{ const: { a: 1 }, default: 'x' }, 'object'],
    [{ allOf: [{}, 5, { type: 'string' }] }, 'string'],
    [{ anyOf: 'x', oneOf: [{}] }, undefined],
    [{ required: [] }, 'object'],
    [{ prefixItems: [] }, 'array'],
    [{ maxItems: 1 }, 'array'],
    [{ maxLength: 1, minimum: 1 }, 'string'],
    [{ format: 'date' }, 'string'],
    [{ multipleOf: 2 }, 'number'],
    [{ type: [] }, undefined],
    [{ type: [5, 'string'] }, 'string'],
  ])('for %j, derives the type %s', (schema, type) => {
    expect(withSingleTypes({ type: 'object', properties: { a: schema } })).toMatchObject({
      properties: { a: type === undefined ? schema : { ...schema, type } },
    })
  })

  it('adds types down to 32 levels', () => {
    let deep: object = { const: 1 }
    for (let i = 0; i < 40; i++) deep = { minItems: 1, items: deep }
    let typed = 0
    let at: Level = withSingleTypes(deep as never)
    for (; at.type === 'array'; at = at.items ?? {}) typed++
    expect(typed).toBe(33)
  })

  it.each(['patternProperties', '$defs', 'definitions', 'dependentSchemas'])(
    'adds types within %s',
    (key) => {
      const part = (schema: object): JsonObject => ({ type: 'object', [key]: { a: schema, b: true } })
      expect(withSingleTypes(part({ const: 'x' }))).toEqual(part({ const: 'x', type: 'string' }))
      const typed = part(TEXT)
      expect(withSingleTypes(typed)).toBe(typed)
    },
  )

  it('returns a schema unchanged if every subschema has exactly one type', () => {
    const schema = { type: 'object', properties: { a: TEXT, b: { type: 'array', items: TEXT } } }
    expect(withSingleTypes(schema)).toBe(schema)
  })
})
