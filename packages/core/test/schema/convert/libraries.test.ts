import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'

import type { AnySchema } from '../../../src/schema/types.ts'
import { checkInput, checkOutput, publishedInput, publishedOutput } from '../helpers.ts'

const valibot = toStandardJsonSchema(
  v.object({
    city: v.pipe(v.string(), v.minLength(1), v.maxLength(100), v.description('Where')),
    days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(7)), 3),
    unit: v.optional(v.picklist(['C', 'F'])),
    stops: v.optional(v.array(v.object({ at: v.string() }))),
  }),
)
const arktype = type({
  city: '1 <= string <= 100',
  days: '1 <= number.integer <= 7 = 3',
  'unit?': "'C' | 'F'",
  'stops?': type({ at: 'string' }).array(),
})

describe.each<[string, AnySchema]>([
  ['valibot, through toStandardJsonSchema', valibot],
  ['arktype', arktype],
])('%s', (_, schema) => {
  it('publishes its constraints and required properties', () => {
    const input = publishedInput(schema) as { required: unknown; properties: Record<string, object> }
    expect(input).not.toHaveProperty('$schema')
    expect(input).toMatchObject({
      type: 'object',
      required: ['city'],
      properties: {
        city: { type: 'string', minLength: 1, maxLength: 100 },
        days: { type: 'integer', minimum: 1, maximum: 7 },
        unit: { enum: ['C', 'F'] },
        stops: { type: 'array', items: { type: 'object', required: ['at'] } },
      },
    })
    expect(publishedOutput(schema)).toMatchObject({ required: expect.arrayContaining(['city']) })
  })

  it('validates and applies defaults', async () => {
    expect(await checkInput(schema, { city: 'Oslo' })).toEqual({ city: 'Oslo', days: 3 })
    const full = { city: 'Oslo', days: 7, unit: 'C', stops: [{ at: 'x' }] }
    expect(await checkInput(schema, full)).toEqual(full)
  })

  it.each<[string, object, string]>([
    ['a missing property', {}, 'city'],
    ['a string that is too long', { city: 'x'.repeat(101) }, 'city'],
    ['a fraction', { city: 'x', days: 1.5 }, 'days'],
    ['a number out of range', { city: 'x', days: 8 }, 'days'],
    ['an unknown enum value', { city: 'x', unit: 'K' }, 'unit'],
    ['a wrong type in a nested object', { city: 'x', stops: [{ at: 'y' }, { at: 1 }] }, 'stops[1].at'],
  ])('names the invalid property in an error about %s', async (_case, value, path) => {
    const { refused } = (await checkInput(schema, value)) as { refused: string }
    expect(refused).toMatch(new RegExp(`^${path.replaceAll('[', '\\[')}: .`))
  })

  it('validates results', () => {
    const good = { city: 'Oslo', days: 3 }
    expect(checkOutput(schema, good)).toEqual(good)
    expect(checkOutput(schema, { city: 'Oslo', days: 1.5 })).toEqual({ refused: 'days: must be integer' })
    expect(checkOutput(schema, { days: 3 })).toEqual({ refused: 'city: is required' })
  })
})

it('a server rejects a valibot date at registration, because JSON Schema cannot express dates', () => {
  const schema = toStandardJsonSchema(v.object({ at: v.date() }))
  expect(() => publishedInput(schema)).toThrow(
    /^inputSchema of tool "get_forecast": valibot cannot convert it to JSON Schema: /,
  )
})
