import type { StepLimit } from './limit.ts'

/**
 * A JSON Schema that is an object; boolean schemas occur only inside one.
 * Dialects: 2020-12 unless `$schema` names 2019-09 or draft-07.
 */
export type JsonSchema = { readonly [key: string]: unknown }

/** Why a value is not valid, in the form of ajv's errors with its option `verbose`. */
export interface ValidationError {
  readonly keyword: string
  /** A JSON Pointer to the part of the value. https://www.rfc-editor.org/rfc/rfc6901 */
  readonly instancePath: string
  /** The keyword's place in the schema, as a URI fragment. */
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
  /** The name that `propertyNames` refuses. */
  readonly propertyName?: string
  readonly message?: string
  /** The keyword's value. */
  readonly schema?: unknown
  /** The part of the value. */
  readonly data?: unknown
}

/** Options of `createValidator`. */
export interface ValidatorOptions {
  /**
   * Whether to check the schema against its dialect's metaschema first. Schemas that a
   * program generates don't need it.
   *
   * @default true
   */
  readonly validateSchema?: boolean
  /**
   * Limits the work for schemas that nobody has reviewed: `maxSteps(1_000_000)`.
   *
   * @default no limit
   */
  readonly limit?: StepLimit | undefined
}

/** Validates values against one schema. */
export interface Validator {
  /**
   * @throws RangeError for a value that is nested too deeply for a recursive schema
   * @throws StepLimitError beyond the limit
   */
  isValid(value: unknown): boolean
  /**
   * Why a value is not valid; empty for a valid one. Validation stops at the first error, so
   * there are several only where alternatives failed (`anyOf`, `oneOf`): those of each
   * alternative, then that of the keyword.
   *
   * @throws RangeError for a value that is nested too deeply for a recursive schema
   * @throws StepLimitError beyond the limit
   */
  errors(value: unknown): ValidationError[]
  /**
   * About how many values `isValid` has looked at so far, nested ones included. A schema with a
   * high number is worth compiling.
   */
  steps(): number
}
