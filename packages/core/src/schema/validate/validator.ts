import { fromFailures, type KeywordFailure } from './failures.ts'
import type { JsonValidator } from '../types.ts'

/** A compiled schema in ajv's form: what is wrong with the last value is left on the function. */
export interface Validate {
  (value: unknown): boolean
  errors?: readonly KeywordFailure[] | null
}

/** @param make - run when the first value comes, and once */
export function toValidator(make: () => Validate): JsonValidator {
  let made: Validate | undefined
  return {
    isValid: (value) => (made ??= make())(value),
    explain: (value) => {
      const validate = (made ??= make())
      return validate(value) ? [] : fromFailures(validate.errors ?? [])
    },
  }
}
