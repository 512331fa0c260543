import { isObject, type JsonObject } from '@jetway/core/protocol'

const MAX_DEPTH = 32

/** The keywords whose value is an object with schemas as its members. */
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const
/** The keywords whose value is a schema or a list of schemas. */
const INSIDE: readonly string[] = (
  'items prefixItems anyOf oneOf allOf not if then else additionalProperties contains propertyNames ' +
  'unevaluatedItems unevaluatedProperties contentSchema'
).split(' ')

/** Changes each subschema, innermost first. Returns the same object if nothing has changed. */
export function eachSchema(
  schema: JsonObject,
  change: (schema: JsonObject) => JsonObject,
  depth = 0,
): JsonObject {
  if (depth > MAX_DEPTH) return schema
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return sameOr(value, value.map(inner))
    return isObject(value) ? eachSchema(value, change, depth + 1) : value
  }
  const changed: [string, unknown][] = []
  for (const key of INSIDE) {
    const value = schema[key]
    const now = inner(value)
    if (now !== value) changed.push([key, now])
  }
  for (const key of BY_NAME) {
    const value = schema[key]
    if (!isObject(value)) continue
    const entries = Object.entries(value).map(([name, each]) => [name, inner(each)] as const)
    if (entries.some(([name, each]) => each !== value[name])) changed.push([key, Object.fromEntries(entries)])
  }
  return change(changed.length === 0 ? schema : { ...schema, ...Object.fromEntries(changed) })
}

const sameOr = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  after.every((each, i) => each === before[i]) ? before : after
