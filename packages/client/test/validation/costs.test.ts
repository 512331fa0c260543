import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { addCosts, costFor, patternCost } from '../../src/validation/pattern-cost.ts'
import { boundSchema } from '../../src/validation/schema-cost.ts'

describe('the cost of a pattern', () => {
  it.each([
    ['^', [2]],
    ['^abc$', [6]],
    ['abc', [0, 4]],
    ['a*', [0, 0, 2]],
    ['a{3,}', [0, 0, 4]],
    ['(?:a|b)', [0, 10]],
    ['a|b', [0, 8]],
    ['^a|^b', [12]],
    ['^a|b', [0, 10]],
    ['^a{2,4}', [18]],
    ['^a{3}', [5]],
    ['^a?', [6]],
    ['^(?:ab){2}', [8]],
  ])('%s is %j', (pattern, cost) => {
    expect(patternCost(pattern)).toEqual(cost)
  })

  it('is a sum, whose terms grow with the length of the text', () => {
    expect(addCosts([1, 2], [3])).toEqual([4, 2])
    expect(addCosts([], [3, 0, 1])).toEqual([3, 0, 1])
    expect(costFor([5], 9)).toBe(5)
    expect(costFor([5, 2, 1], 9)).toBe(125)
  })
})

const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) })

describe('a value is checked', () => {
  it('up to 128 levels', () => {
    const { affords } = boundSchema({ type: 'object' })
    expect([affords(nested(128)), affords(nested(129))]).toEqual([true, false])
    expect([affords('text'), affords(null), affords([[], 5])]).toEqual([true, true, true])
  })

  it.each([
    ['a text', (text: string) => ({ a: text })],
    ['a name', (text: string) => ({ [text]: 1 })],
    ['an item', (text: string) => [text]],
  ])('with a pattern if it has %s of 65,536 characters at most', (_, valueOf) => {
    const { affords } = boundSchema({ properties: { a: { pattern: '^a$' } } })
    const text = 'x'.repeat(65_536)
    expect([affords(valueOf(text)), affords(valueOf(`${text}x`))]).toEqual([true, false])
    expect(boundSchema({ type: 'object' }).affords(valueOf(`${text}x`))).toBe(true)
  })

  it('if its patterns take 20,000,000 steps at most, for all visits of one value', () => {
    // Two visits on each path, and 3 steps for each character and the end.
    const { affords } = boundSchema({ properties: { a: { pattern: '^a*' } } })
    const most = Array.from({ length: 50 }, () => 'x'.repeat(65_535))
    expect(affords([...most, 'x'.repeat(56_532)])).toBe(true)
    expect(affords([...most, 'x'.repeat(56_533)])).toBe(false)
  })

  it('if it takes 10,000,000 visits at most', () => {
    const { affords } = boundSchema({ allOf: Array.from({ length: 1_000 }, () => ({})) })
    const list = Array.from({ length: 9_989 }, () => 1)
    expect([affords(list), affords([...list, 1])]).toEqual([true, false])
  })
})

describe('a schema', () => {
  const empty = (length: number): JsonObject[] => Array.from({ length }, () => ({}))
  const referring = (more: number): JsonObject => ({
    $defs: { d: { allOf: empty(99) } },
    allOf: [...Array.from({ length: 99 }, () => ({ $ref: '#/$defs/d' })), ...empty(more)],
  })

  it('may visit a value 10,000 times', () => {
    expect(boundSchema(referring(0)).affords({})).toBe(true)
    expect(() => boundSchema(referring(1))).toThrow('it is too costly')
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['the whole', { $ref: '#' }, { properties: { a: { $ref: '#' } } }],
    ['a name with a slash', { $ref: '#/$defs/a~1b' }, { $defs: { 'a/b': {} } }],
    ['a name with a tilde', { $ref: '#/$defs/a~0b' }, { $defs: { 'a~b': {} } }],
    ['an encoded name', { $ref: '#/$defs/a%20b' }, { $defs: { 'a b': {} } }],
    ['an item', { $ref: '#/allOf/1' }, { allOf: [{}, {}] }],
    ['true', { $dynamicRef: '#/$defs/yes' }, { $defs: { yes: true } }],
  ])('may refer to %s', (_, reference, rest) => {
    expect(boundSchema({ ...rest, properties: { a: reference } }).affords({ a: 1 })).toBe(true)
  })

  it.each([
    ['#/$defs/none', 'it refers to "#/$defs/none", which does not exist'],
    ['#/constructor', 'it refers to "#/constructor", which does not exist'],
    ['#/title', 'it refers to "#/title", which does not exist'],
    ['other.json', 'it refers to "other.json"'],
    [`x${'y'.repeat(200)}`, `it refers to "x${'y'.repeat(127)}"`],
  ])('must not refer to %s', (reference, message) => {
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef'])
      expect(() => boundSchema({ title: 't', items: { [keyword]: reference } })).toThrow(message)
  })

  it.each([
    [{ allOf: [{ $ref: '#' }] }],
    [{ dependentSchemas: { a: { $ref: '#' } } }],
    [{ dependencies: { a: { $ref: '#' } } }],
    [{ if: { $ref: '#' } }],
    [{ else: { $ref: '#' } }],
  ])('must not contain itself for the same value: %j', (schema) => {
    expect(() => boundSchema(schema)).toThrow('it refers to itself')
  })

  it('is copied without costly patterns, unless they decide what is valid', () => {
    const costly = '(a+)+$'
    const schema = { properties: { a: { pattern: costly, minLength: 1 }, pattern: { type: 'string' } } }
    expect(boundSchema(schema).schema).toEqual({
      properties: { a: { minLength: 1 }, pattern: { type: 'string' } },
    })
    const harmless = { not: { pattern: '^a$' }, patternProperties: { '^b': {} }, uniqueItems: false }
    expect(boundSchema(harmless).schema).toEqual(harmless)
    for (const contrary of [{ not: { pattern: costly } }, { contains: { pattern: costly } }])
      expect(() => boundSchema(contrary)).toThrow(`its pattern "${costly}" is too costly`)
    const long = `${costly}${'b'.repeat(200)}`
    expect(() => boundSchema({ patternProperties: { [long]: {} } })).toThrow(
      `its pattern "${long.slice(0, 128)}" is too costly`,
    )
  })

  it.each([
    [{ items: { uniqueItems: true } }, 1_001, false],
    [{ items: { uniqueItems: true } }, 1_000, true],
    [{ uniqueItems: 'yes' }, 1_001, true],
  ])('%j affords %i items: %j', (schema, length, expected) => {
    expect(boundSchema(schema).affords(Array.from({ length }, () => 1))).toBe(expected)
  })
})
