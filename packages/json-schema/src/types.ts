import type { StepLimit } from './limit.ts'

/**
 * A JSON Schema that is an object; boolean schemas occur only inside one. The dialect is 2020-12 unless
 * `$schema` names 2019-09 or draft-07.
 */
export type JsonSchema = { readonly [key: string]: unknown }

/** Why a value is invalid, in the format of ajv's errors with its option `verbose`. */
export interface ValidationError {
  readonly keyword: string
  /** A JSON Pointer to the invalid part of the value. See https://www.rfc-editor.org/rfc/rfc6901. */
  readonly instancePath: string
  /** The keyword's path in the schema, as a URI fragment. */
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
  /** The name that `propertyNames` refuses. */
  readonly propertyName?: string
  readonly message?: string
  /** The keyword's value. */
  readonly schema?: unknown
  /** The invalid part of the value. */
  readonly data?: unknown
}

/** Options of `createValidator`. */
export interface ValidatorOptions {
  /**
   * Whether the schema is first checked against its dialect's metaschema. Generated schemas do not need this
   * check.
   *
   * @default true
   */
  readonly validateSchema?: boolean
  /**
   * Limits the work for schemas that no one has reviewed: `maxSteps(1_000_000)`.
   *
   * @default no limit
   */
  readonly limit?: StepLimit | undefined
}

/** Validates values against one schema. */
export interface Validator {
  /**
   * @throws RangeError for a value that is nested too deeply for a recursive schema
   * @throws StepLimitError if the limit is exceeded
   */
  isValid(value: unknown): boolean
  /**
   * Returns the reasons why a value is invalid, or an empty list if it is valid. Validation stops at the first
   * error. The list contains several errors only if alternatives of an `anyOf` or `oneOf` failed. In that case,
   * it contains first the errors of each alternative, and then the error of the keyword.
   *
   * @throws RangeError for a value that is nested too deeply for a recursive schema
   * @throws StepLimitError if the validation exceeds the limit
   */
  errors(value: unknown): ValidationError[]
  /**
   * Returns the approximate number of values that `isValid` has visited so far, including nested values. If the
   * number is high, it is worth compiling the schema.
   */
  steps(): number
}
