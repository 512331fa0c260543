import { isSchema, mapParts, resolveLocal } from '@jetway/json-schema'
import type { Issue, JsonSchema } from '../types.ts'

const LIMITS_PROPERTIES = ['additionalProperties', 'unevaluatedProperties', 'patternProperties']
const DESCRIBES_ELSEWHERE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas']

/**
 * Adds `additionalProperties: false` at the root of an author's JSON Schema, but not in nested schemas. A
 * root remains unchanged if it specifies its additional properties, or describes properties in other
 * keywords, such as `allOf`.
 */
export function closeRoot(schema: JsonSchema): JsonSchema {
  const speaks = [...LIMITS_PROPERTIES, ...DESCRIBES_ELSEWHERE].some((keyword) =>
    Object.hasOwn(schema, keyword),
  )
  return speaks ? schema : { ...schema, additionalProperties: false }
}

/**
 * Adds `additionalProperties: false` at any depth to every object of a library's JSON Schema that does not
 * specify additional properties.
 *
 * Objects joined by `allOf` would reject each other's properties, so the restriction is added to the
 * surrounding schema. An object that is also referenced from elsewhere remains open.
 */
export function closeObjects(root: JsonSchema): JsonSchema {
  const joined = joinedObjects(root)
  const close = (schema: JsonSchema, keyword: string): JsonSchema => {
    const closed = mapParts(schema, close)
    if (isOpenJoin(schema, root))
      return keyword === 'allOf' ? closed : { ...closed, unevaluatedProperties: false }
    const open = isOpenObject(schema) && keyword !== 'allOf' && !joined.has(schema)
    return open ? { ...closed, additionalProperties: false } : closed
  }
  return close(root, '')
}

function isOpenObject(schema: JsonSchema): boolean {
  return (
    isSchema(schema['properties']) && !LIMITS_PROPERTIES.some((keyword) => Object.hasOwn(schema, keyword))
  )
}

function isOpenJoin({ allOf }: JsonSchema, root: JsonSchema): boolean {
  return Array.isArray(allOf) && allOf.every((part) => isOpenPart(part, root, []))
}

function isOpenPart(part: unknown, root: JsonSchema, within: readonly unknown[]): boolean {
  if (!isSchema(part) || within.includes(part)) return false
  const { $ref, allOf, anyOf, oneOf } = part
  const isOpen = (inner: unknown): boolean => isOpenPart(inner, root, [...within, part])
  if (typeof $ref === 'string') return isOpen(resolveLocal(root, $ref))
  const parts = [allOf, anyOf, oneOf].find(Array.isArray)
  return parts === undefined ? isOpenObject(part) : parts.every(isOpen)
}

/** Returns all schemas that describe an object together with other schemas, directly or by reference. */
function joinedObjects(root: JsonSchema): ReadonlySet<unknown> {
  const joined = new Set<unknown>()
  const join = (part: unknown): void => {
    if (!isSchema(part) || joined.has(part)) return
    joined.add(part)
    const { $ref, allOf, anyOf, oneOf } = part
    if (typeof $ref === 'string') join(resolveLocal(root, $ref))
    for (const parts of [allOf, anyOf, oneOf]) if (Array.isArray(parts)) parts.forEach(join)
  }
  const look = (schema: JsonSchema): JsonSchema => {
    if (Array.isArray(schema['allOf'])) schema['allOf'].forEach(join)
    return mapParts(schema, look)
  }
  look(root)
  return joined
}

/** Keywords other than `properties` that distinguish the alternatives of a union. */
const DISTINGUISHING = ['type', 'const', 'enum', 'required']
const STRUCTURE = [
  '$schema',
  '$defs',
  '$ref',
  'additionalProperties',
  'allOf',
  'anyOf',
  'definitions',
  'items',
  'oneOf',
  'prefixItems',
  'properties',
  'unevaluatedProperties',
]

/** Any definition may be an alternative of a union. */
const MAY_BE_ALTERNATIVE = new Set(['anyOf', 'oneOf', '$defs', 'definitions'])

/**
 * Returns those parts of a closed schema that are needed to find unknown properties. The values are validated
 * by the library, because it may accept values that the schema rejects, such as numbers in strings.
 */
export function structureOf(schema: JsonSchema, alternative = false): JsonSchema {
  const kept = alternative ? [...STRUCTURE, ...DISTINGUISHING] : STRUCTURE
  const bare = Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.includes(keyword)))
  const { oneOf, ...rest } = mapParts(bare, (part, keyword) =>
    structureOf(part, alternative || MAY_BE_ALTERNATIVE.has(keyword)),
  )
  // Several alternatives may match, because this schema omits their constraints.
  return oneOf === undefined ? rest : { ...rest, anyOf: rest['anyOf'] ?? oneOf }
}

const UNKNOWN = 'is not a known property'

/** Returns only the issues about unknown properties, because this schema is not reliable for other issues. */
export function unknownProperties(issues: readonly Issue[]): Issue[] {
  return issues.filter(({ message }) => message.includes(UNKNOWN))
}
