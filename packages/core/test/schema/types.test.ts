import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'

import type {
  AnySchema,
  InferArguments,
  InferInput,
  InferOutput,
  JsonSchema,
  StringFieldsSchema,
} from '../../src/schema/types.ts'

const zod = z.object({
  city: z.string(),
  days: z.number().default(3),
  at: z.string().transform(Number).optional(),
})
const valibot = toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) }))
const json = { type: 'object', properties: { city: { type: 'string' } } } as const

const rich = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 1 },
    days: { type: 'integer', default: 3 },
    unit: { enum: ['C', 'F'] },
    on: { type: ['boolean', 'null'] },
    list: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
    },
    any: { $ref: '#/$defs/any' },
  },
  required: ['city'],
} as const

describe('types inferred from schemas', () => {
  it('distinguish between the input and the output of a zod schema', () => {
    expectTypeOf<InferInput<typeof zod>>().toEqualTypeOf<{
      city: string
      days?: number | undefined
      at?: string | undefined
    }>()
    expectTypeOf<InferOutput<typeof zod>>().toEqualTypeOf<{
      city: string
      days: number
      at?: number | undefined
    }>()
    expectTypeOf<InferArguments<typeof zod>>().toEqualTypeOf<InferOutput<typeof zod>>()
  })

  it('work for any Standard Schema', () => {
    expectTypeOf<InferInput<typeof valibot>>().toEqualTypeOf<{ city: string; days?: number | undefined }>()
    expectTypeOf<InferArguments<typeof valibot>>().toEqualTypeOf<{ city: string; days: number }>()
  })

  it('are derived from simple JSON Schemas, and are records for all others', () => {
    expectTypeOf<InferInput<typeof json>>().toEqualTypeOf<{ city?: string }>()
    expectTypeOf<InferArguments<typeof rich>>().toEqualTypeOf<{
      city: string
      days?: number
      unit?: 'C' | 'F'
      on?: boolean | null
      list?: { id: number }[]
      any?: unknown
    }>()
    expectTypeOf<InferArguments<{ type: string; properties: { a: { type: string } } }>>().toEqualTypeOf<
      Record<string, unknown>
    >()
    expectTypeOf<InferArguments<{ readonly type: 'object' }>>().toEqualTypeOf<Record<string, unknown>>()
    expectTypeOf<InferArguments<JsonSchema>>().toEqualTypeOf<Record<string, unknown>>()
    expectTypeOf<InferOutput<typeof json>>().toEqualTypeOf<unknown>()
  })

  it('are preserved when the schema is passed through a generic function', () => {
    const add = <S extends AnySchema>(schema: S, handler: (args: InferArguments<S>) => unknown): S => {
      void handler
      return schema
    }
    add(zod, (args) => expectTypeOf(args.days).toEqualTypeOf<number>())
    add(valibot, ({ city }) => expectTypeOf(city).toEqualTypeOf<string>())
    add(json, ({ city }) => expectTypeOf(city).toEqualTypeOf<string | undefined>())
    // @ts-expect-error the schema has no such property
    add(zod, ({ country }) => country)
    // @ts-expect-error valibot without its converter has no JSON Schema
    add(v.object({ a: v.string() }), () => 1)
    // @ts-expect-error not a schema
    add('object', () => 1)
  })

  it('restrict prompt arguments to strings', () => {
    expectTypeOf(z.object({ a: z.string(), b: z.enum(['x']).optional() })).toExtend<StringFieldsSchema>()
    expectTypeOf(
      z.object({ a: z.string().transform(Number), b: z.string().default('x') }),
    ).toExtend<StringFieldsSchema>()
    expectTypeOf(toStandardJsonSchema(v.object({ a: v.optional(v.string()) }))).toExtend<StringFieldsSchema>()
    expectTypeOf(z.object({ a: z.number() })).not.toExtend<StringFieldsSchema>()
    expectTypeOf(z.object({ a: z.string(), b: z.boolean().optional() })).not.toExtend<StringFieldsSchema>()
  })
})
