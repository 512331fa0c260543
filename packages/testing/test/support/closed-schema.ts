import type { JsonObject } from '@jetway/core/protocol'

/** Properties that may contain anything. */
const OPEN_MEMBERS = new Set([
  '_meta',
  'arguments',
  'structuredContent',
  'inputSchema',
  'outputSchema',
  'experimental',
  'data',
])

/** Keywords that contain schemas keyed by name, a list of schemas, or a single schema. */
const NAMED = new Set(['properties', 'definitions', '$defs'])
const LISTED = new Set(['anyOf', 'oneOf'])
const NESTED = new Set(['items', 'additionalProperties'])

/**
 * Copies a published schema so that the copy rejects unknown properties. The published schemas accept any
 * properties, so they would not detect a field from a newer revision. Existing `additionalProperties` are
 * kept.
 */
export function closeSchema(schema: JsonObject): JsonObject {
  const closed: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (NAMED.has(keyword)) closed[keyword] = mapMembers(value as JsonObject, keyword)
    else if (LISTED.has(keyword)) closed[keyword] = (value as JsonObject[]).map(closeSchema)
    else if (NESTED.has(keyword) && isSchema(value)) closed[keyword] = closeSchema(value)
    // Each branch of `allOf` also receives the properties of the other branches, so it cannot be closed by itself.
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
