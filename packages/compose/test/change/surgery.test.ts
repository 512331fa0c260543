import type { JsonSchema } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { type ArgumentSurgery, changeArguments } from '../../src/change/surgery.ts'

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { a: { $ref: '#/$defs/A' }, b: { type: 'number', default: 2 }, c: true },
  required: ['a', 'c'],
  additionalProperties: false,
  $defs: { A: { type: 'string' } },
}

const cut = (changes: Readonly<Record<string, ArgumentSurgery>>, schema: JsonSchema = SCHEMA) =>
  changeArguments('t', schema, changes)

describe('changeArguments', () => {
  it('renames, describes and hides, and changes nothing else', () => {
    const { schema, renamed, refused, hidden } = cut({
      a: { name: 'z', description: 'Z' },
      b: { hide: true },
      c: { description: 'C' },
    })
    expect(schema).toEqual({
      ...SCHEMA,
      properties: { z: { $ref: '#/$defs/A', description: 'Z' }, c: { description: 'C' } },
      required: ['z', 'c'],
    })
    expect([...renamed]).toEqual([['z', 'a']])
    expect([...refused]).toEqual(['a', 'b'])
    expect([...hidden]).toEqual([['b', 2]])
  })

  it('hides an optional argument that has no value', () => {
    const { schema, refused, hidden } = cut({ a: { hide: true } }, { ...SCHEMA, required: ['c'] })
    expect(Object.keys(schema['properties'] as object)).toEqual(['b', 'c'])
    expect([...refused]).toEqual(['a'])
    expect(hidden.size).toBe(0)
  })

  it('lets two arguments change names with each other', () => {
    const { schema, renamed, refused } = cut({ a: { name: 'b' }, b: { name: 'a' } })
    expect(Object.keys(schema['properties'] as object)).toEqual(['b', 'a', 'c'])
    expect(schema['required']).toEqual(['b', 'c'])
    expect([...renamed]).toEqual([
      ['b', 'a'],
      ['a', 'b'],
    ])
    expect(refused.size).toBe(0)
  })

  it.each<[string, Readonly<Record<string, ArgumentSurgery>>, RegExp]>([
    ['an unknown argument', { bb: {} }, /args\.bb: there is no such argument/],
    ['a name that exists', { a: { name: 'b' } }, /args\.\w: there is an argument "b" already/],
    ['one new name for two arguments', { a: { name: 'z' }, c: { name: 'z' } }, /"z" already/],
    ['the name of a hidden argument', { a: { name: 'b' }, b: { hide: true } }, /"b" already/],
    [
      'a required argument that is hidden without a value',
      { a: { hide: true } },
      /args\.a: a hidden argument that is required needs a value/,
    ],
    ['a value of a visible argument', { b: { value: 1 } }, /args\.b: only a hidden argument has a value/],
    ['a name for a hidden argument', { b: { hide: true, name: 'z' } }, /no other name/],
    ['the name __proto__', { a: { name: '__proto__' } }, /cannot be used/],
    ['the argument constructor', { constructor: {} }, /no such argument/],
  ])('refuses %s', (_what, changes, message) => {
    expect(() => cut(changes)).toThrow(message)
    expect(() => cut(changes)).toThrow('ERR_MCP_COMPOSE')
  })

  it.each<[string, object]>([
    ['inputSchema.anyOf', { anyOf: [{ required: ['a'] }] }],
    ['inputSchema.allOf', { allOf: [] }],
    ['inputSchema.if', { if: {} }],
    ['inputSchema.$ref', { $ref: '#/$defs/A' }],
    ['inputSchema.dependentRequired', { dependentRequired: { a: ['b'] } }],
    ['inputSchema.patternProperties', { patternProperties: { '^x': {} } }],
    ['inputSchema.minProperties', { minProperties: 1 }],
    ['inputSchema.type', { type: 'array' }],
    ['inputSchema.properties', { properties: [] }],
    ['inputSchema.required', { required: 'a' }],
    ['inputSchema.$defs.A.$ref', { $defs: { A: { $ref: '#' } } }],
    ['inputSchema.properties.a.$ref', { properties: { a: { $ref: '#/properties/b' }, b: true } }],
  ])('refuses a schema with %s', (path, part) => {
    const message = `The tool "t" cannot be changed at ${path}:`
    expect(() => cut({ a: { name: 'z' } }, { ...SCHEMA, ...part })).toThrow(message)
  })
})
