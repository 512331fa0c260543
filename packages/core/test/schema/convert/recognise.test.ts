import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { z as zod3 } from 'zod/v3'

import { UsageError } from '../../../src/errors.ts'
import type { AnySchema, JsonSchema, StandardSchema } from '../../../src/schema/types.ts'
import { engine, inputSite, outputSite, publishedInput, publishedOutput } from '../helpers.ts'

const handMade: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'made-by-hand',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'array' }) },
  },
}

function thrownBy(act: () => unknown): UsageError {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return error as UsageError
  }
  throw new Error('nothing was thrown')
}

describe('schema conversion', () => {
  it('publishes zod schemas without $schema, because some clients ignore tools with $schema', () => {
    const schema = z.object({ city: z.string(), days: z.number().int().min(1).max(7).default(3) })
    expect(publishedInput(schema)).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer', default: 3, minimum: 1, maximum: 7 },
      },
      required: ['city'],
    })
    expect(publishedOutput(schema)).toMatchObject({ required: ['city', 'days'], additionalProperties: false })
  })

  it('publishes a raw JSON Schema byte for byte', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/place',
      type: 'object',
      properties: { at: { $ref: '#/$defs/point' }, near: { $ref: '#here' } },
      additionalProperties: false,
      $defs: { point: { type: 'array', 'x-vendor': [1] }, here: { $anchor: 'here', type: 'string' } },
      'x-order': { z: 1, a: 2 },
    }
    expect(JSON.stringify(publishedInput(schema))).toBe(JSON.stringify(schema))
    expect(JSON.stringify(publishedOutput(schema))).toBe(JSON.stringify(schema))
  })

  it('is unaffected if the author changes the schema object later', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const compiled = engine.input(schema, inputSite)
    schema.properties.a.type = 'number'
    expect(compiled.jsonSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    expect(compiled.check({ a: 'x' })).toMatchObject({ ok: true })
  })

  it.each<[string, AnySchema]>([
    ['a hand-written Standard Schema', handMade],
    ['valibot with its converter', toStandardJsonSchema(v.object({ a: v.string() }))],
    ['a Standard Schema that is a function', Object.assign(() => undefined, handMade)],
    ['an object without a prototype', Object.assign(Object.create(null), { type: 'object' })],
  ])('accepts %s', (_, schema) => {
    expect(publishedInput(schema)).toMatchObject({ type: 'object' })
  })

  it('omits the minimum and maximum of safe integers from every integer schema', () => {
    const bounds = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
    const build = (integer: object): JsonSchema => ({
      type: 'object',
      properties: {
        integer,
        number: { type: 'number', ...bounds },
        any: true,
        list: { prefixItems: [integer, true] },
      },
      additionalProperties: integer,
      allOf: [true, { not: integer }],
    })
    const schema: StandardSchema = {
      '~standard': {
        ...handMade['~standard'],
        jsonSchema: { input: () => build({ type: 'integer', ...bounds }), output: () => ({}) },
      },
    }
    expect(publishedInput(schema)).toEqual(build({ type: 'integer' }))
  })

  it('requests draft-07 from a library that does not support 2020-12, and keeps $schema', () => {
    const draft07: AnySchema = {
      '~standard': {
        ...handMade['~standard'],
        jsonSchema: {
          input: ({ target }) => {
            if (target !== 'draft-07') throw new Error('unsupported target')
            return { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }
          },
          output: () => ({}),
        },
      },
    }
    expect(publishedInput(draft07)).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {},
    })
  })
})

describe('the error for an unsupported schema', () => {
  it.each<[string, unknown, RegExp]>([
    ['zod 3', zod3.object({ a: zod3.string() }), /zod 3.*wrap it with zod3 from "@jetway\/zod3" \[/],
    [
      'a zod 3 before 3.25',
      Object.defineProperty(zod3.object({}), '~standard', { value: undefined }),
      /zod 3.*needs zod 3\.25 or later/,
    ],
    ['zod/mini', mini.object({ a: mini.string() }), /zod\/mini.*z\.toJSONSchema/],
    ['valibot without its converter', v.object({ a: v.string() }), /toStandardJsonSchema/],
    [
      'another library without JSON Schema',
      { '~standard': { version: 1, vendor: 'x', validate: () => 0 } },
      /"x"/,
    ],
    ['a library without a name', { '~standard': { version: 1, validate: () => 0 } }, /is of a library/],
    ['an object of schemas', { city: z.string() }, /wrap it: z\.object/],
    ['an object of zod 3 schemas', { city: zod3.string() }, /wrap it: z\.object/],
    ['undefined', undefined, /not a schema/],
    ['true', true, /not a schema/],
    ['an array', [{ type: 'object' }], /not a schema/],
    ['a class instance', new Map(), /neither/],
    ['a function', () => ({ type: 'object' }), /neither/],
  ])('names the definition and suggests a remedy for %s', (_, schema, remedy) => {
    for (const act of [
      () => engine.input(schema as AnySchema, inputSite),
      () => engine.output(schema as AnySchema, outputSite),
    ]) {
      const error = thrownBy(act)
      expect(error.code).toBe('ERR_MCP_SCHEMA_UNSUPPORTED')
      expect(error.message).toMatch(/^(in|out)putSchema of tool "get_forecast" /)
      expect(error.message).toMatch(remedy)
    }
  })
})

describe('conversion to JSON Schema', () => {
  const invalid = (schema: AnySchema, side: 'input' | 'output' = 'input'): string => {
    const error = thrownBy(() => engine[side](schema, side === 'input' ? inputSite : outputSite))
    expect(error.code).toBe('ERR_MCP_SCHEMA_INVALID')
    expect(error.message).toContain('tool "get_forecast"')
    return error.message
  }

  it.each<[string, AnySchema, string]>([
    ['date', z.object({ day: z.object({ from: z.date() }) }), '"day.from": Date'],
    ['bigint', z.object({ ids: z.array(z.bigint()) }), '"ids[]": BigInt'],
    ['map', z.object({ a: z.union([z.string(), z.map(z.string(), z.string())]) }), '"a": Map'],
    ['undefined in a tuple', z.object({ a: z.tuple([z.string(), z.undefined()]) }), '"a[1]": Undefined'],
    ['symbol behind optional', z.object({ a: z.optional(z.symbol()) }), '"a": Symbols'],
  ])('names the path to a zod %s in the error, because JSON Schema cannot express it', (_, schema, place) => {
    expect(invalid(schema)).toContain(place)
    expect(invalid(schema, 'output')).toContain(place)
  })

  it('publishes the input side of a transform, but rejects a transform in an output schema', () => {
    const schema = z.object({ n: z.string().transform(Number) })
    expect(publishedInput(schema)).toMatchObject({ properties: { n: { type: 'string' } } })
    expect(invalid(schema, 'output')).toContain('"n": Transforms')
    expect(publishedOutput(z.object({ n: z.string().transform(Number).pipe(z.number()) }))).toMatchObject({
      properties: { n: { type: 'number' } },
    })
  })

  it.each<[string, AnySchema]>([
    ['an array', z.array(z.string())],
    ['a nullable object', z.object({}).nullable()],
    ['anything', z.any()],
    ['a union with a string', z.union([z.object({}), z.string()])],
    ['JSON Schema without a type', { properties: {} }],
    ['JSON Schema with several types', { type: ['object', 'null'] }],
    ['an empty JSON Schema', {}],
  ])('rejects %s at the root of an input', (_, schema) => {
    expect(invalid(schema)).toMatch(/root must be an object/)
    expect(() => publishedOutput(schema)).not.toThrow()
  })

  it.each<[string, AnySchema]>([
    [
      'discriminated',
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    ],
    ['plain and nested', z.union([z.object({ a: z.string() }), z.union([z.object({}), z.strictObject({})])])],
    ['joined', z.object({ a: z.string() }).and(z.object({ b: z.string() }))],
    ['recursive', z.lazy(() => z.object({ a: z.string() }).meta({ id: 'Lazily' }))],
    ['the same twice', ((s) => z.union([s, s]))(z.object({}).meta({ id: 'Twice' }))],
  ])('adds "type": "object" to the schema of a zod union of objects: %s', (_, schema) => {
    expect(publishedInput(schema)).toMatchObject({ type: 'object' })
  })

  it('rejects a schema that is nested too deeply to be converted', () => {
    let deep: Record<string, unknown> = { type: 'object' }
    for (let i = 0; i < 20_000; i++) deep = { type: 'object', properties: { a: deep } }
    expect(invalid(deep)).toMatch(/nested too deeply/)
  })

  it('rejects a schema that cannot be serialised as JSON', () => {
    const cycle: Record<string, unknown> = { type: 'object' }
    cycle['self'] = cycle
    expect(invalid(cycle)).toMatch(/circular/i)
    expect(invalid({ type: 'object', default: 1n })).toMatch(/BigInt/)
  })
})
