import type { JsonSchema } from '@jetway/core'
import type { Json } from '../document/model.ts'
import { resolve } from '../document/pointer.ts'
import { isJson, textOf, textsOf, tidy } from '../document/values.ts'
import { IN_PLACE, isPattern, LISTS, SUBSCHEMAS, typesOf, VALUES } from './keywords.ts'

export type Schema = JsonSchema | boolean

export interface ConversionRules {
  readonly root: Json
  /** Whether schemas have the keywords of OpenAPI 2.0 and 3.0. */
  readonly oldSchemas: boolean
  /** Requests have no `readOnly` properties, responses no `writeOnly` ones. */
  readonly direction: 'request' | 'response'
  /**
   * Whether what documents often get wrong about responses is left out: which properties are required, allowed or
   * never null, and limits of values.
   */
  readonly loose: boolean
}

/** The state of the conversion of one schema. */
export interface Conversion {
  /** Returns the schema for a reference to `target`, and notes that it is needed. */
  refer(reference: string, at: Spot): Schema
  /** Nodes that may still be converted. */
  budget: number
  /** The objects around this one, because a document may contain itself if it was dereferenced. */
  readonly around: Set<object>
}

/** Where a schema is found. */
export interface Spot {
  /** The definition that contains it; undefined in the schema itself. */
  readonly within: string | undefined
  /** Whether all keywords on the way apply to the same value. */
  readonly inPlace: boolean
  readonly depth: number
}

/** Deeper schemas accept any value. */
export const MAX_DEPTH = 40
const MAX_EXAMPLE_BYTES = 500
const MAX_EXAMPLES = 3
const MAX_DESCRIPTION = 1024

/** Keywords that are dropped from loose schemas. */
const STRICT = new Set([
  'required',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'const',
  'enum',
  'format',
  'pattern',
  'multipleOf',
  'uniqueItems',
  'contains',
  'prefixItems',
])
const isStrict = (keyword: string): boolean => STRICT.has(keyword) || /^(?:max|min|exclusive)/.test(keyword)

/** Converts a schema of a document to JSON Schema 2020-12, without keywords that are invalid or unknown. */
export function convertSchema(
  raw: unknown,
  rules: ConversionRules,
  conversion: Conversion,
  at: Spot,
): Schema {
  if (typeof raw === 'boolean') return raw
  if (!isJson(raw) || at.depth > MAX_DEPTH || conversion.budget <= 0 || conversion.around.has(raw)) return {}
  conversion.budget -= 1
  conversion.around.add(raw)
  const schema = withReference(raw, rules, conversion, at)
  conversion.around.delete(raw)
  return schema
}

function withReference(raw: Json, rules: ConversionRules, conversion: Conversion, at: Spot): Schema {
  const { $ref: reference } = raw
  if (typeof reference !== 'string') return keywords(raw, rules, conversion, at)
  const referred = conversion.refer(reference, at)
  // Old schemas ignore what is beside a reference, but authors describe properties there nevertheless.
  const beside = rules.oldSchemas ? {} : keywords({ ...raw, $ref: undefined }, rules, conversion, at)
  const described = { ...describe(raw), ...beside }
  const schema = typeof referred === 'boolean' ? described : { ...referred, ...described }
  return raw['nullable'] === true && rules.oldSchemas ? { anyOf: [schema, { type: 'null' }] } : schema
}

function keywords(raw: Json, rules: ConversionRules, conversion: Conversion, at: Spot): JsonSchema {
  const all: Record<string, unknown> = { ...typed(raw, rules), ...describe(raw) }
  if (rules.direction === 'request') Object.assign(all, samples(raw))
  for (const keyword of Object.keys(raw)) {
    const value = raw[keyword]
    if (value === undefined || (rules.loose && isStrict(keyword))) continue
    const isValid = Object.hasOwn(VALUES, keyword) ? VALUES[keyword] : undefined
    if (isValid === undefined) addSubschemas(all, { keyword, value }, rules, conversion, at)
    else if (isValid(value)) all[keyword] = value
  }
  if (Array.isArray(all['required'])) required(all, raw)
  if (rules.oldSchemas) modernize(all, raw)
  return all
}

function addSubschemas(
  all: Record<string, unknown>,
  { keyword, value }: { readonly keyword: string; readonly value: unknown },
  rules: ConversionRules,
  conversion: Conversion,
  at: Spot,
): void {
  const kind = SUBSCHEMAS.get(keyword)
  if (kind === undefined) return
  const inside = { ...at, inPlace: at.inPlace && SAME_VALUE.has(keyword), depth: at.depth + 1 }
  const one = (part: unknown): Schema => convertSchema(part, rules, conversion, inside)
  if (Array.isArray(value)) {
    // Before 2020-12, `items` could be a list.
    const name = keyword === 'items' ? 'prefixItems' : kind === 'list' ? keyword : undefined
    if (name !== undefined && value.length > 0) all[name] = value.map(one)
  } else if (kind === 'one') {
    if (isJson(value) || typeof value === 'boolean') all[keyword] = one(value)
  } else if (kind === 'names' && isJson(value)) {
    const parts = Object.entries(value).filter(([name, part]) => isPart(keyword, name, part, rules))
    all[keyword] = Object.fromEntries(parts.map(([name, part]) => [name, one(part)]))
  }
}

/** Whether a schema in `properties` or the like can be converted, and belongs to messages of this direction. */
function isPart(keyword: string, name: string, part: unknown, rules: ConversionRules): boolean {
  // No message may have this name, so that it cannot change the prototype of an object.
  if (name === '__proto__') return false
  return keyword === 'patternProperties' ? isPattern(name) : keyword !== 'properties' || isSent(part, rules)
}

const SAME_VALUE: ReadonlySet<string> = new Set(IN_PLACE)

/** Whether a property belongs to messages of this direction. */
export function isSent(
  property: unknown,
  { root, direction }: Pick<ConversionRules, 'root' | 'direction'>,
): boolean {
  const flag = direction === 'request' ? 'readOnly' : 'writeOnly'
  return !(isJson(property) && (property[flag] === true || resolve(root, property)?.[flag] === true))
}

/** Removes properties from `required` that are not sent in this direction. */
function required(all: Record<string, unknown>, raw: Json): void {
  const { properties } = all
  if (!isJson(properties) || !isJson(raw['properties'])) return
  const declared = raw['properties']
  all['required'] = textsOf(all['required']).filter(
    (name) => !Object.hasOwn(declared, name) || Object.hasOwn(properties, name),
  )
}

function typed(raw: Json, { oldSchemas, loose }: ConversionRules): JsonSchema {
  // 2.0 has this type for uploads and downloads.
  if (raw['type'] === 'file') return { type: 'string', contentEncoding: 'base64' }
  const isNullable = loose || (oldSchemas && raw['nullable'] === true)
  const types = typesOf(raw['type']) ?? implied(raw)
  if (types === undefined) return {}
  const all = isNullable && !types.includes('null') ? [...types, 'null'] : types
  return { type: all.length === 1 ? all[0] : all }
}

/** Many documents leave out the type of an object or an array. */
function implied(raw: Json): readonly string[] | undefined {
  if (raw['type'] !== undefined || LISTS.some((keyword) => raw[keyword] !== undefined)) return undefined
  if (isJson(raw['properties'])) return ['object']
  return isJson(raw['items']) ? ['array'] : undefined
}

/** Changes the keywords that 3.0 defines differently. */
function modernize(all: Record<string, unknown>, raw: Json): void {
  for (const [exclusive, limit] of LIMITS) {
    if (raw[exclusive] !== true || all[limit] === undefined) continue
    all[exclusive] = all[limit]
    delete all[limit]
  }
  if (raw['nullable'] !== true) return
  if (Array.isArray(all['enum']) && !all['enum'].includes(null))
    all['enum'] = [...(all['enum'] as unknown[]), null]
  if (all['type'] !== undefined) return
  const key = ['anyOf', 'oneOf'].find((keyword) => Array.isArray(all[keyword]))
  if (key !== undefined) all[key] = [...(all[key] as unknown[]), { type: 'null' }]
  else if (Array.isArray(all['allOf'])) {
    all['anyOf'] = [{ allOf: all['allOf'] }, { type: 'null' }]
    delete all['allOf']
  }
}

const LIMITS = [
  ['exclusiveMaximum', 'maximum'],
  ['exclusiveMinimum', 'minimum'],
] as const

function describe(raw: Json): JsonSchema {
  const text = textOf(raw['description'])
  const description = text === undefined ? '' : tidy(text, MAX_DESCRIPTION)
  return description === '' ? {} : { description }
}

function samples(raw: Json): JsonSchema {
  const given = Array.isArray(raw['examples']) ? (raw['examples'] as unknown[]) : [raw['example']]
  const examples = given.filter(isSmall).slice(0, MAX_EXAMPLES)
  return {
    ...(isSmall(raw['default']) && { default: raw['default'] }),
    ...(examples.length > 0 && { examples }),
  }
}

function isSmall(value: unknown): boolean {
  if (value === undefined) return false
  try {
    const text = JSON.stringify(value)
    return text.length <= MAX_EXAMPLE_BYTES && !text.includes('__proto__')
  } catch {
    // The value contains itself.
    return false
  }
}
