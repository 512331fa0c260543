import type { Json } from '../document/model.ts'
import { resolve } from '../document/pointer.ts'
import { isJson, listOf, textsOf } from '../document/values.ts'
import { isSent } from '../schema/convert.ts'

/** The properties of an object, in the order of the document. */
export interface Shape {
  readonly properties: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
}

/** Keywords that say more about an object than its properties do. */
const SAYS_MORE = [
  'additionalProperties',
  'anyOf',
  'const',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'enum',
  'if',
  'maxProperties',
  'minProperties',
  'not',
  'oneOf',
  'patternProperties',
  'propertyNames',
  'then',
  'unevaluatedProperties',
]
const MAX_PARTS = 64

/**
 * Returns the properties of an object that nothing else describes, so that they can become arguments. Schemas joined
 * by `allOf` are joined here too, unless two of them describe one property.
 */
export function shapeOf(root: Json, raw: unknown): Shape | undefined {
  const parts: Json[] = []
  if (!collect(root, raw, parts)) return undefined
  const properties = new Map<string, unknown>()
  const required = new Set<string>()
  const hidden = new Set<string>()
  for (const part of parts) {
    for (const [name, property] of Object.entries(isJson(part['properties']) ? part['properties'] : {})) {
      if (properties.has(name) || hidden.has(name)) return undefined
      if (isSent(property, { root, direction: 'request' })) properties.set(name, property)
      else hidden.add(name)
    }
    for (const name of textsOf(part['required'])) required.add(name)
  }
  for (const name of hidden) required.delete(name)
  const isComplete = [...required].every((name) => properties.has(name))
  return properties.size > 0 && isComplete ? { properties, required } : undefined
}

/** @returns whether all parts are plain objects */
function collect(root: Json, raw: unknown, parts: Json[]): boolean {
  const schema = resolve(root, raw)
  if (schema === undefined || parts.length >= MAX_PARTS || parts.includes(schema)) return false
  const { type } = schema
  if (type !== undefined && type !== 'object') return false
  const says = SAYS_MORE.filter((keyword) => schema[keyword] !== undefined)
  if (says.some((keyword) => keyword !== 'additionalProperties') || isOpen(schema)) return false
  parts.push(schema)
  return listOf(schema['allOf']).every((part) => collect(root, part, parts))
}

const isOpen = ({ additionalProperties: open }: Json): boolean => open !== undefined && open !== false

/** Whether a schema is that of a file. Bodies of JSON have files as text. */
export function isFile(root: Json, raw: unknown): boolean {
  const schema = resolve(root, raw)
  if (schema === undefined) return false
  const { type, format, contentMediaType } = schema
  if (type === 'file') return true
  if (type !== 'string' && type !== undefined) return false
  return (
    format === 'binary' || (typeof contentMediaType === 'string' && contentMediaType !== 'application/json')
  )
}

/** A file as an argument: base64, or with its name and type. */
export const FILE = {
  anyOf: [
    { type: 'string', contentEncoding: 'base64', description: 'The content in base64' },
    {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the file' },
        type: { type: 'string', description: 'The media type, such as image/png' },
        data: { type: 'string', contentEncoding: 'base64', description: 'The content in base64' },
      },
      required: ['data'],
      additionalProperties: false,
    },
  ],
} as const
