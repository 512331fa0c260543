import type { JsonSchema } from '@jetway/core'
import { mapParts } from '@jetway/json-schema'
import { asJson, member } from '../document/values.ts'

/** Definitions inside definitions. Deeper ones accept any value. */
const MAX_DEPTH = 4
/** The maximum number of subschemas in one schema, because definitions that are used several times grow with each level. */
const MAX_PARTS = 5_000
const PREFIX = '#/$defs/'
const CUT = 'Any value; its schema is left out here.'

/**
 * Replaces references by what they refer to, for clients that cannot follow them. Cycles, and what is too deep, accept
 * any value.
 */
export function inlineReferences({ $defs, ...root }: JsonSchema): JsonSchema {
  const definitions = asJson($defs)
  let parts = 0
  const inline = (schema: JsonSchema, within: readonly string[]): JsonSchema => {
    if (parts++ > MAX_PARTS) return {}
    const { $ref: reference, ...beside } = schema
    if (typeof reference !== 'string') return mapParts(schema, (part) => inline(part, within))
    const name = reference.slice(PREFIX.length)
    const target = member(definitions, name)
    const here = mapParts(beside, (part) => inline(part, within))
    if (within.includes(name) || within.length >= MAX_DEPTH) return { description: CUT, ...here }
    return { ...inline(asJson(target), [...within, name]), ...here }
  }
  return inline(root, [])
}
