import type { Dialect } from '../dialect.ts'
import type { JsonSchema } from '../types.ts'

export type GroupType = 'number' | 'string' | 'array' | 'object'

/** The keywords for values of one type, or of any type. */
export interface Group {
  readonly type: GroupType | undefined
  readonly keywords: readonly string[]
}

const APPLICATORS = ['not', 'anyOf', 'oneOf', 'allOf', 'if', 'then', 'else']
const ANY = ['$comment', 'id', '$ref', 'type', 'nullable', 'const', 'enum', ...APPLICATORS]
const DYNAMIC = ['$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef']
const NUMBER = ['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf', 'format']
const STRING = ['maxLength', 'minLength', 'pattern', 'format']
const OBJECT_FIRST = ['maxProperties', 'minProperties', 'required', 'propertyNames', 'additionalProperties']
const OBJECT = [...OBJECT_FIRST, 'dependencies', 'properties', 'patternProperties']
const ITEMS_OF_OLD = ['additionalItems', 'items']
const ITEMS = ['prefixItems', 'items']
const OBJECT_LATER = ['dependentRequired', 'dependentSchemas', 'unevaluatedProperties']
const ARRAY_LATER = ['maxContains', 'minContains', 'unevaluatedItems']

/** Returns the groups in ajv's order, so that a value with several faults is rejected for the same one as in ajv. */
function groupsOf(any: string[], items: string[], laterArray: string[], laterObject: string[]): Group[] {
  return [
    { type: undefined, keywords: any },
    { type: 'number', keywords: NUMBER },
    { type: 'string', keywords: STRING },
    {
      type: 'array',
      keywords: ['maxItems', 'minItems', ...items, 'contains', 'uniqueItems', ...laterArray],
    },
    { type: 'object', keywords: [...OBJECT, ...laterObject] },
  ]
}

export const GROUPS: Readonly<Record<Dialect, readonly Group[]>> = {
  'draft-07': groupsOf(ANY, ITEMS_OF_OLD, [], []),
  'draft-2019-09': groupsOf([...DYNAMIC, ...ANY], ITEMS_OF_OLD, ARRAY_LATER, OBJECT_LATER),
  'draft-2020-12': groupsOf([...DYNAMIC, ...ANY], ITEMS, ARRAY_LATER, OBJECT_LATER),
}

const RULES: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(GROUPS).map(([dialect, groups]) => [
    dialect,
    new Set(groups.flatMap(({ keywords }) => keywords)),
  ]),
)

/** Returns whether a schema has any keyword that validates, rather than only annotations. */
export function hasRules(schema: JsonSchema, dialect: Dialect, except?: string): boolean {
  return Object.keys(schema).some((keyword) => keyword !== except && RULES[dialect]!.has(keyword))
}

export function isOnlyReference(schema: unknown, dialect: Dialect): schema is { readonly $ref: string } {
  if (typeof schema !== 'object' || schema === null) return false
  const { $ref } = schema as JsonSchema
  return typeof $ref === 'string' && $ref !== '' && !hasRules(schema as JsonSchema, dialect, '$ref')
}

export function isUsed(schema: JsonSchema, { keywords }: Group): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined)
}

/** Returns whether a schema accepts every value. */
export function isAlwaysValid(schema: unknown, dialect: Dialect): boolean {
  return typeof schema === 'boolean' ? schema : !hasRules(schema as JsonSchema, dialect)
}

const REFERENCES = new Set(['$ref', '$recursiveRef', '$recursiveAnchor', '$dynamicRef', '$dynamicAnchor'])

/** @param known - results for subschemas that have already been searched */
export function hasReference(schema: unknown, known: Map<unknown, boolean>): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  let found = known.get(schema)
  if (found === undefined) {
    found = Object.entries(schema).some(([key, part]) => REFERENCES.has(key) || hasReference(part, known))
    known.set(schema, found)
  }
  return found
}
