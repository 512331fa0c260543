import { describe, expect, it } from 'vitest'
import * as z from 'zod'

import { describeIssues } from '../../src/schema/issues.ts'
import type { AnySchema, JsonSchema } from '../../src/schema/types.ts'
import { checkInput, engine, inputSite } from './helpers.ts'

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
})
const kinds = [
  { type: 'object', properties: { k: { const: 'a' }, n: { type: 'number' } }, required: ['k', 'n'] },
  { type: 'object', properties: { k: { const: 'b' }, s: { type: 'string' } }, required: ['k', 's'] },
]

describe('validation issues', () => {
  it.each<[AnySchema, unknown, string]>([
    [object({ days: { maximum: 7 } }), { days: 12 }, 'days: must be <= 7'],
    [object({}, { required: ['city'] }), {}, 'city: is required'],
    [object({ a: object({}, { required: ['b c'] }) }), { a: {} }, 'a["b c"]: is required'],
    [object({}, { additionalProperties: false }), { x: 1 }, 'x: is not a known property'],
    [object({}, { unevaluatedProperties: false }), { x: 1 }, 'x: is not a known property'],
    [object({ a: { enum: ['x', 2] } }), { a: 3 }, 'a: must be one of "x", 2'],
    [
      object({ a: { enum: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] } }),
      { a: 10 },
      'a: must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9',
    ],
    [
      object({ a: { enum: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } }),
      { a: 11 },
      'a: must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …',
    ],
    [object({ a: { const: 'x' } }), { a: 3 }, 'a: must be "x"'],
    [object({ a: false }), { a: 3 }, 'a: is not allowed'],
    [object({ a: { items: { items: { type: 'null' } } } }), { a: [[], [null, 0]] }, 'a[1][1]: must be null'],
    [object({ 'a/b~c': { type: 'null' } }), { 'a/b~c': 0 }, '["a/b~c"]: must be null'],
    [object({ a: { format: 'email' } }), { a: 'x' }, 'a: must match format "email"'],
    [
      object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      { a: 1 },
      'a: must be string, or must be null',
    ],
    [object({ a: { oneOf: kinds } }), { a: { k: 'a', n: 'x' } }, 'a.n: must be number'],
    [object({ a: { oneOf: kinds } }), { a: { k: 'c', n: 1, s: '' } }, 'a.k: must be "a", or must be "b"'],
    [object({ a: { anyOf: kinds } }), { a: { k: 'a', n: 'x' } }, 'a.n: must be number'],
    [
      object({ a: { oneOf: [...kinds, object({}, { required: ['z'] })] } }),
      { a: { k: 'a', n: 'x' } },
      'a.n: must be number',
    ],
    [object({ a: { oneOf: kinds } }), { a: null }, 'a: must be object'],
    [
      object({ a: { anyOf: [{ oneOf: [{}, {}] }, { oneOf: [true, {}] }] } }),
      { a: 1 },
      'a: must match a schema in anyOf',
    ],
    [object({ a: { oneOf: [{}, {}] } }), { a: 1 }, 'a: must match exactly one schema in oneOf'],
    [object({ a: { not: {} } }), { a: 1 }, 'a: must NOT be valid'],
    [object({ a: { contains: { type: 'null' } } }), { a: [] }, 'a: must contain at least 1 valid item(s)'],
    [
      object({}, { propertyNames: { maxLength: 1 } }),
      { ab: 1 },
      'has a property name that must NOT have more than 1 characters',
    ],
    [object({}), [], 'must be object'],
    [z.object({ days: z.number().max(7) }), { days: 12 }, 'days: Too big: expected number to be <=7'],
    [
      z.object({ a: z.string(), b: z.string() }),
      { a: 1 },
      'a: Invalid input: expected string, received number\nb: Invalid input: expected string, received undefined',
    ],
    [z.object({ a: z.array(z.object({ b: z.string('say b') })) }), { a: [{ b: 'x' }, {}] }, 'a[1].b: say b'],
    [
      z.object({ a: z.union([z.string(), z.null()]) }),
      { a: 1 },
      'a: Invalid input: expected string, received number, or Invalid input: expected null, received number',
    ],
    [
      z.object({ a: z.union([z.string(), z.object({ b: z.string() })]) }),
      { a: { b: 1 } },
      'a.b: Invalid input: expected string, received number',
    ],
    [
      z.object({ a: z.union([z.string(), z.object({ b: z.null(), c: z.null() })]) }),
      { a: {} },
      'a.b: Invalid input: expected null, received undefined\na.c: Invalid input: expected null, received undefined',
    ],
    [
      z.object({ a: z.union([z.object({ b: z.null(), c: z.null() }), z.object({ d: z.null() })]) }),
      { a: {} },
      'a.d: Invalid input: expected null, received undefined',
    ],
    [
      z.object({ a: z.union([z.string(), z.string().min(1)]) }),
      { a: 1 },
      'a: Invalid input: expected string, received number',
    ],
    [
      z.object({ p: z.union(['a', 'b', 'c', 'd', 'e'].map((name) => z.object({ [name]: z.null('no') }))) }),
      { p: {} },
      'p.a: no; or p.b: no; or p.c: no; or p.d: no',
    ],
    [
      z.object({ p: z.xor([z.object({ x: z.string() }), z.object({ y: z.string() })]) }),
      { p: { z: 1 } },
      'p.x: Invalid input: expected string, received undefined; or p.y: Invalid input: expected string, received undefined',
    ],
  ])('name the property and the problem (row %#): %j', async (schema, value, text) => {
    expect(await checkInput(schema, value)).toEqual({ refused: text })
  })

  it('do not repeat the received value', async () => {
    const secret = 'sk-1234567890'
    for (const a of [
      { type: 'number' },
      { maxLength: 3 },
      { enum: ['x'] },
      { const: 'x' },
      { pattern: '^x' },
    ]) {
      expect(JSON.stringify(await checkInput(object({ a }), { a: secret }))).not.toContain(secret)
    }
    for (const a of [
      z.number(),
      z.string().max(3),
      z.enum(['x']),
      z.literal('x'),
      z.string().regex(/^x/),
      z.email(),
    ]) {
      expect(JSON.stringify(await checkInput(z.object({ a }), { a: secret }))).not.toContain(secret)
    }
  })

  it('truncate long paths and long messages', () => {
    const one = (path: number, message: number): string =>
      describeIssues([{ path: ['k'.repeat(path)], message: 'm'.repeat(message) }])
    expect(one(120, 240)).toBe(`${'k'.repeat(120)}: ${'m'.repeat(240)}`)
    expect(one(121, 241)).toBe(`${'k'.repeat(120)}…: ${'m'.repeat(240)}…`)
  })

  it('end with "and more" only if some issues are omitted', () => {
    const issues = Array.from({ length: 11 }, () => ({ path: [], message: 'no' }))
    expect(describeIssues(issues.slice(1)).split('\n')).toHaveLength(10)
    expect(describeIssues(issues)).toMatch(/\nand more$/)
  })

  it('are limited to 100 per check', async () => {
    const compiled = engine.input(z.object({ list: z.array(z.null()) }), inputSite)
    const checked = await compiled.check({ list: Array.from({ length: 101 }, () => 1) })
    expect(!checked.ok && checked.issues).toHaveLength(100)
  })

  it.each<[string, unknown, string]>([
    ['its only alternative', [[{ message: 'no', path: ['b'] }]], 'a.b: no'],
    ['alternatives without issues', [[], [{ message: 'no' }]], 'a: no'],
    ['no alternatives', [[]], 'a: Invalid input'],
  ])('describe a union that failed with %s', async (_, errors, refused) => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'made-by-hand',
        validate: () => ({ issues: [{ message: 'Invalid input', path: ['a'], errors }] }),
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({}) },
      },
    }
    expect(await checkInput(schema, {})).toEqual({ refused })
  })

  it('are limited in number and in length when they are formatted', () => {
    const issues = Array.from({ length: 5000 }, (_, i) => ({
      path: ['k'.repeat(9000), i],
      message: 'm'.repeat(9000),
    }))
    const text = describeIssues(issues)
    expect(text.split('\n')).toHaveLength(11)
    expect(text).toMatch(/\nand more$/)
    expect(text.length).toBeLessThan(4500)
    expect(describeIssues(issues, 1).length).toBeLessThan(500)
  })

  it('stay short if a union receives a long list of invalid items', async () => {
    const list = Array.from({ length: 200_000 }, () => 'x')
    const schema = z.object({ u: z.union([z.array(z.number()), z.array(z.boolean())]) })
    const { refused } = (await checkInput(schema, { u: list })) as { refused: string }
    expect(refused).toContain('more than 1000 issues')
    expect(refused.length).toBeLessThan(1000)
  })

  it("contain the schema author's custom message for a union", async () => {
    const schema = z.object({ u: z.union([z.string(), z.null()], 'text or nothing') })
    expect(await checkInput(schema, { u: 1 })).toEqual({ refused: 'u: text or nothing' })
  })

  it('escape characters that could forge or reorder a log line', async () => {
    const schema = object({}, { additionalProperties: false })
    const text = JSON.stringify(await checkInput(schema, { 'a\nlevel=error\u001b[31m\u202e\u2028': 1 }))
    expect(text).toContain('level=error')
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
    expect(await checkInput(z.strictObject({}), { 'a\n\u202e': 1 })).toEqual({
      refused: 'Unrecognized key: "a\\u{a}\\u{202e}"',
    })
  })

  it('result in an empty string if there are none', () => {
    expect(describeIssues([])).toBe('')
  })
})
