import { createValidator, type JsonSchema } from '@jetway/json-schema'
import { expect } from 'vitest'
import { ajvAlone, outcomeOf } from './ajv-alone.ts'

/**
 * Expects the same verdicts and errors as ajv.
 *
 * @returns the verdicts
 */
export function expectSame(schema: JsonSchema, values: readonly unknown[]): readonly boolean[] {
  const alone = ajvAlone(schema)
  const validator = createValidator(schema)
  return values.map((value) => {
    const expected = outcomeOf(alone, value)
    expect(outcomeOf(validator, value), JSON.stringify(value)).toEqual(expected)
    return 'valid' in expected && expected.valid
  })
}
