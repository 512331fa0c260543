import type { Recognised } from './recognise.ts'
import { describes, mapParts } from '@jetway/json-schema'
import type { JsonSchema, StandardSchema } from '../types.ts'
import { asZod, findUnconvertible, strippingObjects, toOpenJsonSchema } from './zod.ts'
import type { Side, ZodSchema } from './zod.ts'

/**
 * Copies the author's JSON Schema. Otherwise, a change to the original would make the published schema differ
 * from the enforced one.
 *
 * @throws Error if the schema is not JSON
 */
export function copyJsonSchema(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema
}

/**
 * Creates the published JSON Schema for arguments.
 *
 * @throws Error with a message for authors
 */
export function convertInput(recognised: Recognised): JsonSchema {
  const jsonSchema = convert(recognised, 'input')
  if (Object.hasOwn(jsonSchema, 'type') && jsonSchema['type'] === 'object') return jsonSchema
  throw new Error('its root must be an object: write z.object({ … }), or "type": "object" in a JSON Schema')
}

/**
 * Adds `properties`, even if there are none. Some hosts reject a tool whose schema has no `properties`. See
 * https://github.com/github/copilot-cli/issues/1825.
 */
export const withProperties = (schema: JsonSchema): JsonSchema =>
  Object.hasOwn(schema, 'properties') ? schema : { ...schema, properties: {} }

/** When to drop unknown properties from a result. */
export type Pruning = 'on mismatch' | 'always'

interface ConvertedOutput {
  /** The published schema. */
  readonly jsonSchema: JsonSchema
  /** Undefined if nothing is ever dropped. */
  readonly prunes?: { readonly pruning: Pruning; readonly zod: ZodSchema }
}

/**
 * Creates the JSON Schema for results. In an `allOf`, schemas that do not allow unknown properties reject
 * each other's properties, and zod does not always merge these schemas. Therefore, intersected objects are
 * published without this restriction, and their unknown properties are always dropped.
 *
 * @throws Error with a message for authors
 */
export function convertOutput(recognised: Recognised): ConvertedOutput {
  const jsonSchema = convert(recognised, 'output')
  const zod = recognised.kind === 'json' ? undefined : recognised.zod
  if (zod === undefined) return { jsonSchema }
  const { any, joined } = strippingObjects(zod)
  if (joined.size === 0) return any ? { jsonSchema, prunes: { pruning: 'on mismatch', zod } } : { jsonSchema }
  const open = toOpenJsonSchema(zod, (object) => joined.has(object)) ?? jsonSchema
  return { jsonSchema: published(open), prunes: { pruning: 'always', zod } }
}

/** @throws Error that names the subschema that cannot be converted, if it can be determined */
function convert(recognised: Recognised, side: Side): JsonSchema {
  if (recognised.kind === 'json') return copyJsonSchema(recognised.schema)
  const { '~standard': props } = recognised.schema
  const { zod } = recognised
  try {
    return published(props.jsonSchema[side]({ target: 'draft-2020-12' }))
  } catch (cause) {
    // If the library does not support 2020-12, its draft-07 schema names the dialect, and that name is kept.
    if (zod === undefined) return withObjectRoot(copyJsonSchema(convertToDraft07(props, side, cause)))
    const { path, schema } = findUnconvertible(zod, side)
    const where = path === '' ? '' : `at "${path.replace(/^\./, '')}": `
    const why = asZod(schema)
      ? `${messageOf(cause)}; use a type that JSON has, such as a string or a number`
      : 'it is not of zod 4, but its object is; build the object and all its fields with one zod'
    throw new Error(where + why, { cause })
  }
}

function convertToDraft07(props: StandardSchema['~standard'], side: Side, first: unknown): JsonSchema {
  try {
    return props.jsonSchema[side]({ target: 'draft-07' })
  } catch {
    throw new Error(`${props.vendor} cannot convert it to JSON Schema: ${messageOf(first)}`, { cause: first })
  }
}

function published(converted: JsonSchema): JsonSchema {
  return withObjectRoot(withoutSafeBounds(withoutDialect(copyJsonSchema(converted))))
}

/**
 * Removes the bounds of safe integers, which zod adds to every integer. They would use tokens without telling
 * the model anything.
 */
export function withoutSafeBounds(schema: JsonSchema): JsonSchema {
  const mapped = mapParts(schema, withoutSafeBounds)
  if (mapped['type'] !== 'integer') return mapped
  const isNoise = ([keyword, value]: [string, unknown]): boolean =>
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  return Object.fromEntries(Object.entries(mapped).filter((entry) => !isNoise(entry)))
}

/** Removes `$schema`, because some clients ignore tools whose schemas contain it. The default dialect is 2020-12. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema
  return rest
}

/** Adds the missing `type` to the schema of a union of objects. */
function withObjectRoot(schema: JsonSchema): JsonSchema {
  const isObject = ({ type }: JsonSchema): true | undefined => type === 'object' || undefined
  return schema['type'] === undefined && describes(schema, schema, isObject)
    ? { type: 'object', ...schema }
    : schema
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
