import { isObject, type JsonObject } from '@jetway/core/protocol'

/**
 * The maximum depth. Deeper schemas are replaced by schemas that allow anything. The server validates the
 * arguments.
 */
const MAX_DEPTH = 28

/**
 * Converts any value from a server to a valid JSON Schema 2020-12: translates older drafts, and omits invalid
 * keywords. A model API rejects the whole request if a single keyword has a value of the wrong type. Returns
 * the same object if nothing is invalid.
 *
 * @see https://json-schema.org/draft/2020-12/schema
 */
export const validSchema = (schema: JsonObject): JsonObject => repaired(schema, 0)

function repaired(given: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return {}
  const schema = translated(given)
  const entries = Object.entries(schema).map(([key, value]) => [key, keywordOf(key, value, depth)] as const)
  if (entries.every(([key, value]) => value !== undefined && value === schema[key])) return schema
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Returns the valid part of a keyword's value, or undefined if there is none. */
function keywordOf(key: string, value: unknown, depth: number): unknown {
  const inner = (each: unknown): unknown =>
    typeof each === 'boolean' ? each : isObject(each) ? repaired(each, depth + 1) : undefined
  if (SCHEMA.has(key)) return inner(value)
  if (key === 'prefixItems') return listOf(value, (each) => inner(each) ?? {})
  if (CHOICES.has(key)) return listOf(value, inner)
  if (NAMED.has(key)) return namedOf(key, value, inner)
  if (NEVER.has(key)) return undefined
  const read = KEYWORDS.get(key)
  if (read !== undefined) return read(value)
  // Some validators also look for schemas in unknown keywords.
  return isObject(value) && !VALUES.has(key) ? undefined : value
}

const SCHEMA: ReadonlySet<string> = new Set(
  (
    'items additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not if then else ' +
    'contentSchema'
  ).split(' '),
)
const CHOICES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])
const NAMED: ReadonlySet<string> = new Set(
  'properties patternProperties $defs definitions dependentSchemas'.split(' '),
)
/** The keywords that allow any value. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const'])
/** Keywords that do not exist in 2020-12, or that change the targets of references. */
const NEVER: ReadonlySet<string> = new Set(
  'id $id $recursiveRef $recursiveAnchor $vocabulary dependencies additionalItems'.split(' '),
)

type Inner = (value: unknown) => unknown

function listOf(value: unknown, inner: Inner): unknown {
  if (!Array.isArray(value)) return undefined
  const list = value.map(inner).filter((each) => each !== undefined)
  if (list.length === 0) return undefined
  return list.length === value.length && list.every((each, i) => each === value[i]) ? value : list
}

function namedOf(key: string, value: unknown, inner: Inner): unknown {
  // PHP writes an empty object as [].
  if (Array.isArray(value) && value.length === 0) return {}
  if (!isObject(value)) return undefined
  const entries = Object.entries(value)
    .filter(([name]) => key !== 'patternProperties' || isPattern(name))
    // A property with a malformed schema is still a property.
    .map(([name, each]) => [name, inner(each) ?? {}] as const)
  const same = entries.length === Object.keys(value).length
  return same && entries.every(([name, each]) => each === value[name]) ? value : Object.fromEntries(entries)
}

type Read = (value: unknown) => unknown

const when =
  (test: (value: never) => boolean): Read =>
  (value) =>
    test(value as never) ? value : undefined
const isText = (value: unknown): boolean => typeof value === 'string'
const isName = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0
const isFlag = (value: unknown): boolean => typeof value === 'boolean'

/**
 * Returns whether a value is a valid pattern with or without the `u` flag, because many servers' patterns are
 * invalid with it.
 */
const isPattern = (value: unknown): boolean =>
  typeof value === 'string' && ['u', ''].some((flags) => compiles(value, flags))

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp
  } catch {
    return false
  }
}

const KEYWORDS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ...readers(
    'title description format contentEncoding contentMediaType $comment $ref $dynamicRef',
    when(isText),
  ),
  ...readers('$anchor $dynamicAnchor', when(isName)),
  ...readers('maximum minimum exclusiveMaximum exclusiveMinimum', when(Number.isFinite)),
  ...readers('maxLength minLength maxItems minItems maxProperties minProperties', when(isCount)),
  ...readers('maxContains minContains', when(isCount)),
  ...readers('uniqueItems deprecated readOnly writeOnly', when(isFlag)),
  ['multipleOf', when((value: number) => Number.isFinite(value) && value > 0)],
  ['pattern', when(isPattern)],
  ['$schema', when((value) => value === 'https://json-schema.org/draft/2020-12/schema')],
  ['examples', when(Array.isArray)],
  ['type', typeOf],
  ['enum', enumOf],
  ['required', textsOf],
  ['dependentRequired', dependentRequiredOf],
])

function readers(keywords: string, read: Read): (readonly [string, Read])[] {
  return keywords.split(' ').map((keyword) => [keyword, read])
}

/** Returns the distinct strings of a list. */
function textsOf(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined
  const texts = [...new Set(value.filter(isText))]
  return texts.length === value.length ? value : texts
}

function dependentRequiredOf(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).map(([name, names]) => [name, textsOf(names)] as const)
  if (entries.every(([name, names]) => names === value[name])) return value
  return Object.fromEntries(entries.filter(([, names]) => names !== undefined))
}

/** Returns the distinct values of an `enum`, because some APIs reject empty lists and duplicates. */
function enumOf(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const byText = new Map(value.map((each: unknown) => [JSON.stringify(each), each]))
  return byText.size === value.length ? value : [...byText.values()]
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
/** The JSON types, keyed by their names in other languages. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...TYPES.map((type) => [type, type] as const),
  ...['int', 'int32', 'int64', 'long'].map((name) => [name, 'integer'] as const),
  ...['float', 'double', 'decimal'].map((name) => [name, 'number'] as const),
  ...['str', 'text'].map((name) => [name, 'string'] as const),
  ...['dict', 'map'].map((name) => [name, 'object'] as const),
  ['bool', 'boolean'],
  ['list', 'array'],
  ['none', 'null'],
])

/** Returns the valid types, or undefined if there are unknown types, because those may allow anything. */
function typeOf(value: unknown): unknown {
  const known = (name: unknown): string | undefined =>
    typeof name === 'string' ? ALIASES.get(name.toLowerCase()) : undefined
  if (!Array.isArray(value)) return known(value)
  const types = [...new Set(value.map(known))]
  if (types.length === 0 || types.includes(undefined)) return undefined
  return types.length === value.length && types.every((type, i) => type === value[i]) ? value : types
}

/** Translates older drafts: `items` as a list, limits with a flag, and `required: true` in a property. */
function translated(schema: JsonObject): JsonObject {
  const changes: Record<string, unknown> = {}
  if (Array.isArray(schema['items'])) {
    const { items, additionalItems, prefixItems = items } = schema
    Object.assign(changes, { items: additionalItems, prefixItems })
  }
  for (const [flag, limit] of LIMITS) {
    if (typeof schema[flag] !== 'boolean') continue
    Object.assign(
      changes,
      schema[flag] ? { [flag]: schema[limit], [limit]: undefined } : { [flag]: undefined },
    )
  }
  const required = requiredByProperties(schema)
  if (required.length > 0) changes['required'] = [...listIn(schema['required']), ...required]
  return Object.keys(changes).length === 0 ? schema : { ...schema, ...changes }
}

const LIMITS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function requiredByProperties({ properties }: JsonObject): readonly string[] {
  if (!isObject(properties)) return []
  return Object.keys(properties).filter((name) => {
    const property = properties[name]
    return isObject(property) && property['required'] === true
  })
}
