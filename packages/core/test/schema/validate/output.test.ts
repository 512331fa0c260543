import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'

import type { JsonSchema } from '../../../src/schema/types.ts'
import { checkOutput, engine, outputSite } from '../helpers.ts'

const anything = z.object({ a: z.any() })
const numbers = z.object({ a: z.number() })

class Reading {
  readonly celsius = 20
  get fahrenheit(): number {
    return 68
  }
}

describe('engine.output', () => {
  it.each<[string, unknown, z.ZodType, unknown]>([
    ['checks a Date as its string', new Date(0), z.iso.datetime(), '1970-01-01T00:00:00.000Z'],
    ['checks NaN as null', Number.NaN, z.null(), null],
    ['checks undefined in an array as null', [undefined], z.array(z.null()), [null]],
    ['checks holes as null', Object.assign([], { length: 2 }), z.array(z.null()), [null, null]],
    ['checks undefined properties as absent', { b: undefined }, z.strictObject({}), {}],
    ['checks the value from toJSON', { toJSON: () => 'text' }, z.string(), 'text'],
    [
      'checks only own properties of an instance',
      new Reading(),
      z.strictObject({ celsius: z.number() }),
      { celsius: 20 },
    ],
    ['checks -0 as 0', -0, z.literal(0), 0],
    ['accepts a whole number as an integer', 2.0, z.int(), 2],
    ['accepts a fraction as a number', 0.1 + 0.2, z.number(), 0.1 + 0.2],
  ])('%s', (_, a, schema, expected) => {
    expect(checkOutput(z.object({ a: schema }), { a })).toEqual({ a: expected })
  })

  it('rejects a Map, because JSON would turn it into an empty object', () => {
    const refused = 'a: is a Map; send Object.fromEntries(…) of it'
    expect(checkOutput(z.object({ a: z.strictObject({}) }), { a: new Map([[1, 2]]) })).toEqual({ refused })
  })

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a Date', new Date(0)],
    ['undefined', undefined],
    ['a function', () => 1],
    ['a Map', new Map()],
    ['a number in a string', '1'],
    ['null', null],
  ])('rejects %s if a number is required', (_, a) => {
    expect(checkOutput(numbers, { a })).toHaveProperty('refused')
  })

  it('ignores getters on an instance, because JSON omits them', () => {
    const schema = z.object({ celsius: z.number(), fahrenheit: z.number() })
    expect(checkOutput(schema, new Reading())).toEqual({ refused: 'fahrenheit: is required' })
  })

  it('rejects a missing value', () => {
    const compiled = engine.output(anything, outputSite)
    for (const value of [undefined, () => 1, Symbol('s')]) {
      expect(compiled.check(value, JSON.stringify(value))).toEqual({
        ok: false,
        issues: [{ path: [], message: 'is missing' }],
      })
    }
  })

  it('returns the given JSON string unchanged if the value is the same after a JSON round trip', () => {
    const compiled = engine.output(z.object({ high: z.number(), tags: z.array(z.string()) }), outputSite)
    const value = { high: 1, tags: ['x'] }
    const json = '{"high":1,"tags":["x"]}'
    expect(compiled.jsonSchema, 'is converted').toHaveProperty('type', 'object')
    const parse = vi.spyOn(JSON, 'parse')
    const checked = compiled.check(value, json)
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
    expect(checked).toEqual({ ok: true, json })
  })

  it('rethrows an error thrown by a getter or method of the value', () => {
    const value = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('a bug')
      },
    })
    expect(() => engine.output(anything, outputSite).check(value, '{}')).toThrow('a bug')
  })

  it('rejects a value that is nested too deeply, without overflowing the stack', () => {
    const Node = z.object({
      get next() {
        return z.optional(Node)
      },
    })
    const json = `${'{"next":'.repeat(100_000)}{}${'}'.repeat(100_000)}`
    expect(engine.output(Node, outputSite).check(JSON.parse(json), json)).toEqual({
      ok: false,
      issues: [{ path: [], message: 'is nested too deeply' }],
    })
  })
})

describe('output validation with a root schema that is not an object', () => {
  it.each<[JsonSchema | z.ZodType, unknown, unknown]>([
    [z.array(z.number()), [1], ['x']],
    [z.string(), 'x', 1],
    [{ type: ['number', 'null'] }, null, 'x'],
    [{ items: { type: 'string' } }, ['x'], [1]],
  ])('accepts valid and rejects invalid structured content: %#', (schema, good, bad) => {
    expect(checkOutput(schema, good)).toEqual(good)
    expect(checkOutput(schema, bad)).toHaveProperty('refused')
  })
})

describe('output schemas from libraries other than zod', () => {
  it('keep unknown properties unless the schema rejects them', () => {
    const closed = { type: 'object', properties: { a: {} }, additionalProperties: false }
    expect(checkOutput(closed, { a: 1, b: 2 })).toEqual({ refused: 'b: is not a known property' })
    expect(checkOutput({ type: 'object' }, { b: 2 })).toEqual({ b: 2 })
    expect(checkOutput(toStandardJsonSchema(v.object({ a: v.number() })), { a: 1, b: 2 })).toEqual({
      a: 1,
      b: 2,
    })
    expect(checkOutput(toStandardJsonSchema(v.strictObject({})), { b: 2 })).toEqual({
      refused: 'b: is not a known property',
    })
  })

  it.each(['2020-12', '2019-09'])('are validated according to the declared dialect %s', (dialect) => {
    const schema = {
      $schema: `https://json-schema.org/draft/${dialect}/schema`,
      type: 'array',
      prefixItems: [false],
    }
    expect('refused' in (checkOutput(schema, [1]) as object)).toBe(dialect === '2020-12')
  })
})

describe('output validation', () => {
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.string(),
        fc.double(),
        fc.integer(),
        fc.boolean(),
        fc.constantFrom(null, undefined, Number.NaN),
      ),
      fc.date({ noInvalidDate: true }),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), tie('any'), {
        maxKeys: 3,
        noNullPrototype: false,
      }),
    ),
  })).any
  const part = { type: ['object', 'array', 'number', 'string', 'null'], properties: { a: { $ref: '#' } } }
  const schemas: JsonSchema[] = [
    { ...part, required: ['a'] },
    { ...part, maxProperties: 1, items: { type: ['number', 'string'] } },
    { ...part, additionalProperties: { type: 'number' }, minItems: 1 },
    {
      anyOf: [
        { type: 'array', items: { $ref: '#' } },
        { type: 'object', additionalProperties: { $ref: '#' } },
        { type: 'number' },
      ],
    },
    {
      ...part,
      properties: { b: { type: 'string', minLength: 1 }, constructor: { type: 'number' } },
      unevaluatedProperties: { $ref: '#' },
    },
  ]

  it.each(schemas.map((schema) => [JSON.stringify(schema), schema] as const))(
    'agrees with ajv on JSON.parse(JSON.stringify(value)): %s',
    (_, schema) => {
      const validate = new Ajv2020({ strict: false, ownProperties: true }).compile(schema)
      const compiled = engine.output(schema, outputSite)
      fc.assert(
        fc.property(value, (sample) => {
          const json = JSON.stringify(sample) as string | undefined
          const expected = json !== undefined && validate(JSON.parse(json))
          expect(compiled.check(sample, json).ok).toBe(expected)
        }),
        { numRuns: 300 },
      )
    },
  )
})
