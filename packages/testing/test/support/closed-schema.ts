import type { JsonObject } from '@jetway/core/protocol'

/** Members that may hold anything. */
const OPEN_MEMBERS = new Set([
  '_meta',
  'arguments',
  'structuredContent',
  'inputSchema',
  'outputSchema',
  'experimental',
  'data',
])

/** Keywords whose members are schemas by name, by position, or one schema. */
const NAMED = new Set(['properties', 'definitions', '$defs'])
const LISTED = new Set(['anyOf', 'oneOf'])
const NESTED = new Set(['items', 'additionalProperties'])

/**
 * Copies a published schema so that it refuses unknown members: the published schemas accept any, so they
 * would not notice a field of a newer revision. An `additionalProperties` of the schema is kept.
 */
export function closeSchema(schema: JsonObject): JsonObject {
  const closed: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (NAMED.has(keyword)) closed[keyword] = mapMembers(value as JsonObject, keyword)
    else if (LISTED.has(keyword)) closed[keyword] = (value as JsonObject[]).map(closeSchema)
    else if (NESTED.has(keyword) && isSchema(value)) closed[keyword] = closeSchema(value)
    // A branch of allOf sees the members of the other branches, and cannot be closed alone.
    else closed[keyword] = value
  }
  if ('properties' in schema && !('additionalProperties' in schema)) closed['additionalProperties'] = false
  return closed
}

function mapMembers(members: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [
      name,
      (keyword === 'properties' && OPEN_MEMBERS.has(name)) || !isSchema(schema)
        ? schema
        : closeSchema(schema),
    ]),
  )
}

const isSchema = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
