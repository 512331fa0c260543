import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { projectForm } from '../../../src/protocol/revisions/base.ts'
import { formIssues, refuseUnsayable, toFormSchema } from '../../../src/schema/uses/elicitation-form.ts'
import type { JsonSchema } from '../../../src/schema/types.ts'

const jsonOf = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
const field = (schema: z.ZodType): unknown => toFormSchema(jsonOf(z.object({ f: schema }))).properties['f']

describe('toFormSchema (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema)', () => {
  it.each<[string, z.ZodType, object]>([
    ['a string', z.string().min(1).max(5), { type: 'string', minLength: 1, maxLength: 5 }],
    ['a string with a known format', z.email(), { type: 'string', format: 'email' }],
    ['a string with another format', z.uuid(), { type: 'string' }],
    ['a number', z.number().min(1).max(2), { type: 'number', minimum: 1, maximum: 2 }],
    ['an integer', z.int(), { type: 'integer' }],
    ['a boolean with a default', z.boolean().default(true), { type: 'boolean', default: true }],
    ['an enum', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['an enum with one value', z.literal('a'), { type: 'string', enum: ['a'] }],
    [
      'an enum with titles',
      z.union([z.literal('a').meta({ title: 'A' }), z.literal('b').meta({ title: 'B' })]),
      {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'b', title: 'B' },
        ],
      },
    ],
    ['oneOf without titles', z.union([z.literal('a'), z.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    [
      'a multi-select with titles',
      z.array(z.union([z.literal('a').meta({ title: 'A' }), z.literal('b')])),
      {
        type: 'array',
        items: {
          anyOf: [
            { const: 'a', title: 'A' },
            { const: 'b', title: 'b' },
          ],
        },
      },
    ],
    [
      'a multi-select',
      z
        .array(z.enum(['a', 'b']))
        .min(1)
        .max(2),
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
    ],
    [
      'titles and descriptions',
      z.string().meta({ title: 'T', description: 'D', x: 1 }),
      { type: 'string', title: 'T', description: 'D' },
    ],
  ])('publishes %s', (_what, schema, expected) => {
    expect(field(schema)).toEqual(expected)
  })

  it('keeps enumNames, which earlier revisions used', () => {
    const choices = { enum: ['a', 'b'], enumNames: ['A', 'B'] }
    expect(toFormSchema({ type: 'object', properties: { f: choices } }).properties['f']).toEqual({
      type: 'string',
      ...choices,
    })
  })

  it('drops every keyword of the root schema except `type`, `properties` and `required`', () => {
    const schema = z.object({ a: z.string(), b: z.string().optional(), c: z.string().default('x') })
    expect(toFormSchema(jsonOf(schema))).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string', default: 'x' } },
      required: ['a'],
    })
  })

  it("uses a choice's value as its title if the choice has no title", () => {
    const choices = { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }
    expect(toFormSchema({ type: 'object', properties: { f: choices } }).properties['f']).toEqual({
      type: 'string',
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'b' },
      ],
    })
  })

  it.each<[string, JsonSchema]>([
    ['an empty enum', { type: 'object', properties: { f: { oneOf: [] } } }],
    [
      'an enum with a number',
      { type: 'object', properties: { f: { oneOf: [{ const: 'a' }, { const: 1 }] } } },
    ],
    ['an array with items of any type', { type: 'object', properties: { f: { type: 'array' } } }],
    ['a field without a schema', { type: 'object', properties: { f: null } }],
    ['a nested object', { type: 'object', properties: { f: { type: 'object' } } }],
    [
      'an array of strings',
      { type: 'object', properties: { f: { type: 'array', items: { type: 'string' } } } },
    ],
    ['an array of numeric enums', { type: 'object', properties: { f: { enum: [1, 2] } } }],
    ['a nullable type', { type: 'object', properties: { f: { type: ['string', 'null'] } } }],
  ])('rejects %s, and names the field in the error', (_what, schema) => {
    expect(() => toFormSchema(schema)).toThrow('the field "f"')
  })

  it.each<JsonSchema>([{ type: 'string', properties: {} }, { type: 'object' }])(
    'rejects a schema that is not an object schema: %j',
    (schema) => {
      expect(() => toFormSchema(schema)).toThrow('a form is an object with properties')
    },
  )

  it('omits an empty `required`', () => {
    const form = toFormSchema({ type: 'object', properties: {}, required: [] })
    expect(form).toEqual({ type: 'object', properties: {} })
  })
})

describe('formIssues', () => {
  const form = toFormSchema({
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 3 },
      age: { type: 'integer', minimum: 0, maximum: 9 },
      on: { type: 'boolean' },
      one: { oneOf: [{ const: 'a', title: 'A' }] },
      more: { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 },
      titled: { type: 'array', items: { oneOf: [{ const: 'a', title: 'A' }] } },
    },
  })

  it.each<object>([
    { name: 'ab' },
    { name: '😀😀', age: 9, on: false, one: 'a', more: ['b'], titled: ['a'] },
    { name: 'abc', unknown: {} },
  ])('accepts %j', (content) => {
    expect(formIssues(form, content as Record<string, unknown>)).toEqual([])
  })

  it('ignores properties inherited from the prototype of the content', () => {
    const odd = toFormSchema({ type: 'object', properties: { toString: { type: 'string' } } })
    expect(formIssues(odd, {})).toEqual([])
  })

  it.each<[object, string]>([
    [{}, 'name'],
    [{ name: 'a' }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: 'ab', age: 1.5 }, 'age'],
    [{ name: 'ab', age: 10 }, 'age'],
    [{ name: 'ab', age: '1' }, 'age'],
    [{ name: 'ab', on: 'true' }, 'on'],
    [{ name: 'ab', one: 'b' }, 'one'],
    [{ name: 'ab', more: 'a' }, 'more'],
    [{ name: 'ab', titled: ['A'] }, 'titled'],
    [{ name: 'ab', more: ['c'] }, 'more'],
    [{ name: 'ab', more: ['a', 'b'] }, 'more'],
  ])('rejects %j', (content, at) => {
    expect(formIssues(form, content as Record<string, unknown>).map(({ path }) => path)).toEqual([[at]])
  })
})

describe('a form for 2025-06-18 (https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation)', () => {
  const plain = { fields: 'plain', url: false } as const
  const projected = (properties: object): unknown =>
    projectForm(plain, toFormSchema({ type: 'object', properties }))['properties']

  it('puts titles in enumNames, and keeps defaults only for booleans', () => {
    expect(
      projected({
        a: { oneOf: [{ const: 'x', title: 'X' }], default: 'x' },
        b: { type: 'boolean', default: true },
        c: { type: 'number', default: 1 },
      }),
    ).toEqual({
      a: { type: 'string', enum: ['x'], enumNames: ['X'] },
      b: { type: 'boolean', default: true },
      c: { type: 'number' },
    })
  })

  it('rejects a multi-select field', () => {
    expect(() => projected({ a: { type: 'array', items: { enum: ['x'] } } })).toThrow('the field "a"')
  })
})

describe('validation of form schemas', () => {
  const formOf = (a: object): object => ({ type: 'object', properties: { a } })

  it.each([
    [{ type: 'integer', default: 1.5 }],
    [{ type: 'string', enum: ['x'], default: 'y' }],
    [{ type: 'string', format: 'email', default: 'nobody' }],
    [{ type: 'array', items: { enum: ['x'] }, default: ['y'] }],
  ])('rejects a default that is invalid in its field: %j', (given) => {
    expect(() => toFormSchema(formOf(given) as never)).toThrow(/the field "a": its default must/)
  })

  it.each([
    [{ type: 'string', pattern: '^x' }, 'pattern'],
    [{ type: 'number', multipleOf: 2 }, 'multipleOf'],
    [{ type: 'array', items: { enum: ['x'] }, uniqueItems: true }, 'uniqueItems'],
    [{ type: 'string', format: 'ipv4' }, 'formats email'],
  ])('rejects a constraint that clients cannot display: %j', (given, named) => {
    expect(() => refuseUnsayable(formOf(given) as never)).toThrow(new RegExp(`the field "a": .*${named}`))
  })

  it.each([
    ['a form without fields', { type: 'object' }],
    ['a disabled constraint', formOf({ type: 'array', items: { enum: ['x'] }, uniqueItems: false })],
  ])('accepts %s', (_what, given) => {
    expect(() => refuseUnsayable(given as never)).not.toThrow()
  })

  it.each([
    ['email', 'a@b', 'a b@c'],
    ['uri', 'https://example.com', 'example'],
    ['date', '2024-02-29', '2023-02-29'],
    ['date-time', '2024-02-29T10:00:00Z', '2024-02-29'],
    ['date-time', '2024-02-29T10:00:00.5+02:00', '2024-02-30T10:00:00Z'],
  ])('accepts the format %s, which submitted values must match', (format, good, bad) => {
    const form = toFormSchema(formOf({ type: 'string', format }) as never)
    expect(formIssues(form, { a: good })).toEqual([])
    expect(formIssues(form, { a: bad })).toEqual([{ path: ['a'], message: `must match format "${format}"` }])
  })
})
