import { createValidator, FORMATS } from '@jetway/json-schema'
import {
  FORMAT_VALUES,
  LARGE_SCHEMA,
  LARGE_VALUES,
  SCHEMA_CASES,
} from '@jetway-apps/test-support/schema-cases'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ajvAlone, outcomeOf } from './support/ajv-alone.ts'
import { expectSame } from './support/expect-same.ts'

const METASCHEMA: (typeof SCHEMA_CASES)[number] = [
  'references to the metaschema',
  { properties: { schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } },
  [{ schema: { type: 'object' } }, { schema: true }],
  [{ schema: { type: 'strin' } }, { schema: 1 }],
]

describe('a validator', () => {
  it.each([...SCHEMA_CASES, METASCHEMA])('agrees with ajv on %s', (_, schema, good, bad) => {
    const verdicts = expectSame(schema, [...good, ...bad])
    expect(verdicts).toEqual([...good.map(() => true), ...bad.map(() => false)])
  })

  it.each(Object.keys(FORMATS))('agrees with ajv on the format %s', (format) => {
    expectSame({ format }, FORMAT_VALUES)
  })

  it('agrees with ajv on properties named __proto__, both in schemas and in constants', () => {
    const schema = JSON.parse(
      '{"$defs":{"__proto__":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/__proto__"},"b":{"const":{"__proto__":1}}}}',
    ) as Record<string, unknown>
    const verdicts = expectSame(schema, [
      { a: 'x' },
      { b: JSON.parse('{"__proto__":1}') as unknown },
      { a: 1 },
      { b: {} },
    ])
    expect(verdicts).toEqual([true, true, false, false])
  })

  it('agrees with ajv on generated values', () => {
    const alone = ajvAlone(LARGE_SCHEMA)
    const validator = createValidator(LARGE_SCHEMA)
    fc.assert(
      fc.property(LARGE_VALUES, (given) => {
        const expected = outcomeOf(alone, given)
        expect(outcomeOf(validator, given)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})
