import { FORMATS } from '@jetway/json-schema'
import {
  FORMAT_VALUES,
  LARGE_SCHEMA,
  LARGE_VALUES,
  SCHEMA_CASES,
} from '@jetway-apps/test-support/schema-cases'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../../src/schema/types.ts'
import { compileWithAjv } from '../../../src/schema/validate/ajv.ts'
import { interpret } from '../../../src/schema/validate/interpret.ts'

/** Returns the verdicts of compiled code, after checking that the interpreter agrees. */
async function verdicts(schema: JsonSchema, values: readonly unknown[]): Promise<boolean[]> {
  const compiled = await compileWithAjv(schema)
  const interpreted = interpret(schema, 'author')
  return values.map((value) => {
    expect(compiled(value), JSON.stringify(value)).toBe(interpreted.isValid(value))
    return compiled(value)
  })
}

describe('code compiled by ajv', () => {
  it.each(SCHEMA_CASES)('agrees with the interpreter on %s', async (_, schema, good, bad) => {
    expect(await verdicts(schema, [...good, ...bad])).toEqual([
      ...good.map(() => true),
      ...bad.map(() => false),
    ])
  })

  it.each(Object.keys(FORMATS))('agrees with the interpreter on the format %s', async (format) => {
    expect(await verdicts({ format }, FORMAT_VALUES)).toContain(true)
  })

  it('agrees with the interpreter on random values', async () => {
    const compiled = await compileWithAjv(LARGE_SCHEMA)
    const interpreted = interpret(LARGE_SCHEMA, 'author')
    fc.assert(
      fc.property(LARGE_VALUES, (given) => {
        expect(compiled(given)).toBe(interpreted.isValid(given))
      }),
      { numRuns: 300 },
    )
  })
})

it('`compileWithAjv` keeps two schemas with the same $id independent of each other', async () => {
  const $id = 'https://a.test/schema'
  const [first, second] = await Promise.all([
    compileWithAjv({ $id, type: 'string', $defs: { a: { type: 'number' } } }),
    compileWithAjv({ $id, type: 'number' }),
  ])
  expect([first('a'), second('a'), first(1), second(1)]).toEqual([true, false, false, true])
  await expect(compileWithAjv({ $ref: `${$id}#/$defs/a` })).rejects.toThrow("can't resolve reference")
})
