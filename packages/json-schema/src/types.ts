import type { StepLimit } from './limit.ts'

/**
 * A JSON Schema that is an object. Boolean schemas can occur only inside one. The dialect is 2020-12 unless
 * `$schema` names 2019-09 or draft-07.
 */
export type JsonSchema = { readonly [key: string]: unknown }

/** The reason why a value is invalid, in the format of ajv's errors with the `verbose` option. */
export interface ValidationError {
  readonly keyword: string
  /** A JSON Pointer to the invalid part of the value. See https://www.rfc-editor.org/rfc/rfc6901. */
  readonly instancePath: string
  /** The path to the keyword in the schema, as a URI fragment. */
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
  /** The property name that `propertyNames` rejects. */
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
   * If true, the schema is first checked against the metaschema of its dialect. Generated schemas do not need
   * this check.
   *
   * @default true
   */
  readonly validateSchema?: boolean
  /**
   * Limits the work for schemas that nobody has reviewed, for example `maxSteps(1_000_000)`.
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
   * Returns the reasons why a value is invalid, or an empty list if it is valid. Validation stops at the
   * first error, so there are several errors only if the alternatives of an `anyOf` or `oneOf` have failed.
   * The list then contains the errors of each alternative, followed by the error of the keyword itself.
   *
   * @throws RangeError for a value that is nested too deeply for a recursive schema
   * @throws StepLimitError if the validation exceeds the limit
   */
  errors(value: unknown): ValidationError[]
  /**
   * Returns the approximate number of values that `isValid` has visited so far, including nested ones. A high
   * number means that compiling the schema is worthwhile.
   */
  steps(): number
}
