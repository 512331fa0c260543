import type { JsonSchema } from '../types.ts'

/** The dialect has been chosen; ajv would look the URI up. `$async` is its own, and would answer with a promise. */
export function bareSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _, $async: __, ...rest } = schema
  return rest
}
