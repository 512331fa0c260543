import { compilePattern } from '@jetway/json-schema'
import { isJson } from '../document/values.ts'

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

type Rule = (value: unknown) => boolean

const isText: Rule = (value) => typeof value === 'string'
const isNumber: Rule = (value) => typeof value === 'number' && Number.isFinite(value)
const isCount: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isFlag: Rule = (value) => typeof value === 'boolean'
const isNames: Rule = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length

/**
 * The keywords that are copied if their values are valid. Documents have many that are not, such as `required: true`
 * in a property, and one of them would invalidate the whole tool. Keywords that are not listed are annotations that are
 * useless to a model (`xml`, `externalDocs`), or would change the meaning of references (`$id`, `$anchor`).
 */
export const VALUES: Readonly<Record<string, Rule>> = {
  title: isText,
  enum: (value) => Array.isArray(value) && value.length > 0 && isPlainJson(value),
  const: isPlainJson,
  format: isText,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  maximum: isNumber,
  minimum: isNumber,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  maxLength: isCount,
  minLength: isCount,
  pattern: isPattern,
  maxItems: isCount,
  minItems: isCount,
  uniqueItems: isFlag,
  maxContains: isCount,
  minContains: isCount,
  maxProperties: isCount,
  minProperties: isCount,
  required: isNames,
  dependentRequired: (value) => isJson(value) && Object.values(value).every(isNames),
  contentEncoding: isText,
  contentMediaType: isText,
}

/** Keywords with a list of subschemas. */
export const LISTS: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems']

/** Keywords with one subschema, a list of them, or subschemas by name. */
export const SUBSCHEMAS: ReadonlyMap<string, 'one' | 'list' | 'names'> = new Map([
  ...[
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
  ].map((keyword) => [keyword, 'one'] as const),
  ...LISTS.map((keyword) => [keyword, 'list'] as const),
  ...['dependentSchemas', 'patternProperties', 'properties'].map((keyword) => [keyword, 'names'] as const),
])

/** Keywords whose subschemas apply to the same value. A reference in them may not lead back to its own schema. */
export const IN_PLACE: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']

/** Whether a value is JSON that a message may contain. A value of a document may contain itself. */
function isPlainJson(value: unknown): boolean {
  if (typeof value !== 'object') return true
  try {
    return !JSON.stringify(value).includes('__proto__')
  } catch {
    return false
  }
}

/** Patterns longer than this are dropped: no document needs them, and they are slow to compile. */
const MAX_PATTERN = 4096

export function isPattern(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_PATTERN) return false
  try {
    compilePattern(value, 'u')
    return true
  } catch {
    return false
  }
}

/** Returns the types that JSON Schema knows; undefined for none, so that any value is accepted. */
export function typesOf(type: unknown): readonly string[] | undefined {
  const given = Array.isArray(type) ? (type as unknown[]) : [type]
  const known = given.filter((it): it is string => typeof it === 'string' && TYPES.has(it))
  // A type that is not known may stand for any value.
  return known.length === 0 || known.length < given.length ? undefined : [...new Set(known)]
}
