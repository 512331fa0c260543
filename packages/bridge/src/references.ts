import { isObject, type JsonObject } from '@jetway/core/protocol'
import { eachSchema } from './each-schema.ts'

/** Resolves a reference within the schema. A reference to another document is never fetched. */
export function resolveReference(ref: unknown, root: JsonObject): JsonObject | undefined {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined
  let at: unknown = root
  for (const step of ref.split('/').slice(1)) {
    const key = unescaped(step)
    if (key === undefined || typeof at !== 'object' || at === null || !Object.hasOwn(at, key))
      return undefined
    at = at[key as keyof typeof at]
  }
  return isObject(at) ? at : undefined
}

/** https://www.rfc-editor.org/rfc/rfc6901#section-6 */
function unescaped(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}

/**
 * Removes duplicate anchors, and references without a target, because model APIs reject both.
 */
export function withoutLostReferences(root: JsonObject): JsonObject {
  const places = new Set<JsonObject>()
  const anchors = new Map<unknown, number>()
  eachSchema(root, (schema) => {
    places.add(schema)
    for (const key of ANCHORS)
      if (schema[key] !== undefined) anchors.set(schema[key], (anchors.get(schema[key]) ?? 0) + 1)
    return schema
  })
  const isThere = (ref: unknown): boolean => {
    if (typeof ref !== 'string') return false
    const target = resolveReference(ref, root)
    return target === undefined ? anchors.get(ref.slice(1)) === 1 && ref.startsWith('#') : places.has(target)
  }
  return eachSchema(root, (schema) => {
    const lost = [
      ...REFERENCES.filter((key) => schema[key] !== undefined && !isThere(schema[key])),
      ...ANCHORS.filter((key) => schema[key] !== undefined && anchors.get(schema[key]) !== 1),
    ]
    if (lost.length === 0) return schema
    return Object.fromEntries(Object.entries(schema).filter(([key]) => !lost.includes(key as never)))
  })
}

const REFERENCES = ['$ref', '$dynamicRef'] as const
const ANCHORS = ['$anchor', '$dynamicAnchor'] as const
