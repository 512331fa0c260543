import { convert, convertZodOutput, copyJsonSchema, type Pruning } from './publish.ts'
import type { Recognised } from './recognise.ts'
import { closeObjects, closeRoot, structureOf } from './strict.ts'
import type { JsonSchema } from '../types.ts'
import { toOpenJsonSchema, type ZodSchema } from './zod.ts'

/** What a schema comes to before anything is compiled; the same at start as for the cache. */
export interface InputParts {
  /** As published. */
  readonly jsonSchema: JsonSchema
  /** What has to be compiled, if anything. */
  readonly compiled: JsonSchema | undefined
}

export interface OutputParts {
  /** As published, and what has to be compiled. */
  readonly jsonSchema: JsonSchema
  /** Undefined where nothing is ever dropped from a value. */
  readonly pruned: { readonly pruning: Exclude<Pruning, 'never'>; readonly zod: ZodSchema } | undefined
}

/** @throws Error with a readable message */
export function readInput(recognised: Recognised, strict: boolean): InputParts {
  if (recognised.kind === 'json') {
    const copy = copyJsonSchema(recognised.schema)
    const jsonSchema = strict ? closeRoot(copy) : copy
    requireObjectRoot(jsonSchema)
    return { jsonSchema, compiled: jsonSchema }
  }
  const open = convert(recognised.schema, 'input', recognised.zod)
  requireObjectRoot(open)
  if (!strict) return { jsonSchema: open, compiled: undefined }
  const jsonSchema = closeObjects(open)
  return { jsonSchema, compiled: structureOf(jsonSchema) }
}

/** @throws Error with a readable message */
export function readOutput(recognised: Recognised): OutputParts {
  if (recognised.kind === 'json') return { jsonSchema: copyJsonSchema(recognised.schema), pruned: undefined }
  const { schema, zod } = recognised
  if (zod === undefined) return { jsonSchema: convert(schema, 'output', undefined), pruned: undefined }
  const { jsonSchema, pruning } = convertZodOutput(schema, zod)
  return { jsonSchema, pruned: pruning === 'never' ? undefined : { pruning, zod } }
}

function requireObjectRoot(schema: JsonSchema): void {
  if (Object.hasOwn(schema, 'type') && schema['type'] === 'object') return
  throw new Error(
    'its root must be an object: JSON Schema says so with "type": "object", zod with z.object({ … })',
  )
}

/** What tells whether a value fits one alternative of a union; undefined where zod has no JSON Schema of it. */
export const openAlternative = (alternative: ZodSchema): JsonSchema | undefined =>
  toOpenJsonSchema(alternative, () => true)
