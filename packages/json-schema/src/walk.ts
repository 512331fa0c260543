import type { JsonSchema } from './types.ts'

/**
 * Keywords that contain a schema, a list of schemas, or schemas keyed by name. See
 * https://json-schema.org/draft/2020-12.
 */
const ONE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]
const LISTS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']
const BY_NAME = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']

/**
 * Returns a copy of a schema in which all subschemas are replaced. Values that are not schemas, such as
 * `default`, are kept.
 */
export function mapParts(
  schema: JsonSchema,
  change: (part: JsonSchema, keyword: string) => unknown,
): JsonSchema {
  const changed: Record<string, unknown> = { ...schema }
  const one = (part: unknown, keyword: string): unknown => (isSchema(part) ? change(part, keyword) : part)
  for (const keyword of ONE) if (isSchema(schema[keyword])) changed[keyword] = one(schema[keyword], keyword)
  for (const keyword of LISTS) {
    const parts = schema[keyword]
    if (Array.isArray(parts)) changed[keyword] = parts.map((part) => one(part, keyword))
  }
  for (const keyword of BY_NAME) {
    const parts = schema[keyword]
    if (!isSchema(parts)) continue
    changed[keyword] = Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [name, one(part, keyword)]),
    )
  }
  return changed
}

/** Returns whether a value can be a schema with keywords: an object that is not an array. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @returns the target of a `#/…` pointer, or undefined */
export function resolveLocal(root: JsonSchema, ref: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined
  let at: unknown = root
  for (const token of ref.split('/').slice(1)) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonSchema)[key]
  }
  return at
}

/**
 * Returns whether a schema allows only one kind of value, according to its own keywords or those of its
 * subschemas.
 *
 * @param judge - returns undefined if the schema's own keywords do not determine this
 */
export function describes(
  schema: unknown,
  root: JsonSchema,
  judge: (schema: JsonSchema) => boolean | undefined,
  within: readonly unknown[] = [],
): boolean {
  if (!isSchema(schema) || within.includes(schema)) return false
  const { $ref, anyOf, oneOf, allOf } = schema
  const isOfKind = (part: unknown): boolean => describes(part, root, judge, [...within, schema])
  return (
    judge(schema) ??
    ([anyOf, oneOf].some((parts) => Array.isArray(parts) && parts.length > 0 && parts.every(isOfKind)) ||
      (Array.isArray(allOf) && allOf.some(isOfKind)) ||
      (typeof $ref === 'string' && isOfKind(resolveLocal(root, $ref))))
  )
}
