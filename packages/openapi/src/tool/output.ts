import type { JsonSchema } from '@jetway/core'
import { describes } from '@jetway/json-schema'
import type { MediaType, Operation } from '../document/model.ts'
import { isJson, textOf } from '../document/values.ts'
import { isJsonType, kindOf } from '../request/plan.ts'
import type { Converted, Definitions } from '../schema/definitions.ts'

/** Larger schemas are left out: lists of tools would grow by them, and few clients read them. */
const MAX_LENGTH = 8 * 1024

/** The media type that a request asks for: JSON where there is a choice. */
export function acceptedType(success: Operation['success']): MediaType | undefined {
  const content = success?.content ?? []
  return (
    content.find(({ type }) => isJsonType(type)) ??
    content.find(({ type }) => kindOf(type) === 'json') ??
    content[0]
  )
}

/** @returns undefined unless the reply is a JSON object with a schema of a reasonable size */
export function outputSchemaOf(
  media: MediaType | undefined,
  definitions: Definitions,
): JsonSchema | undefined {
  if (media === undefined || kindOf(media.type) !== 'json') return undefined
  const converted = rootOf(media.schema, definitions)
  const { schema, references } = converted
  if (!isJson(schema) || !definitions.isWithin(converted, MAX_LENGTH)) return undefined
  const closed = definitions.close(schema, references)
  if (!describes(closed, closed, isObject)) return undefined
  // Clients want the type at the root, where it may be that of a reference or of all alternatives.
  return { ...closed, type: 'object' }
}

/** The schema behind references at the root, which clients cannot follow there. */
function rootOf(raw: unknown, definitions: Definitions): Converted {
  const reference = isJson(raw) ? textOf(raw['$ref']) : undefined
  if (reference === undefined) return definitions.convert(raw)
  return definitions.definitionOf(reference)
}

function isObject({ type, properties }: JsonSchema): boolean | undefined {
  const types = Array.isArray(type) ? (type as unknown[]).filter((it) => it !== 'null') : [type]
  if (types.length === 1 && types[0] === 'object') return true
  return type === undefined && properties === undefined ? undefined : false
}
