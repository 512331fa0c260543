import { createValidator, type StepLimit } from '@jetway/json-schema'
import type { JsonSchema, JsonValidator } from '../types.ts'
import { fromErrors } from './from-errors.ts'

/** A validator that counts the values it has checked. */
export interface Interpreted extends JsonValidator {
  /** Returns approximately how many values have been checked so far. */
  steps(): number
}

/** @throws Error with a message for authors if the schema is invalid or exceeds the limit */
export function interpret(schema: JsonSchema, origin: 'author' | 'library', limit?: StepLimit): Interpreted {
  const validator = createValidator(schema, { validateSchema: origin === 'author', limit })
  return { ...validator, explain: (value) => fromErrors(validator.errors(value)) }
}
