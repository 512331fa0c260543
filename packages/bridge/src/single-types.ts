import { isObject, type JsonObject } from '@jetway/core/protocol'
import { eachSchema } from './each-schema.ts'

/**
 * Gives every subschema a single `type`, for hosts whose validators require one. It is the first type that is
 * not `null`, or the type implied by the choices, values or keywords. The result may be less precise, so
 * models should receive the original schema.
 */
export function withSingleTypes(schema: JsonObject): JsonObject {
  return eachSchema(schema, (each) => {
    const type = typeOf(each, 0)
    return type === undefined || each['type'] === type ? each : { ...each, type }
  })
}

const MAX_DEPTH = 8

function typeOf(schema: JsonObject, depth: number): string | undefined {
  const { type } = schema
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return first(type)
  if (depth < MAX_DEPTH) {
    const choices = [schema['oneOf'], schema['anyOf'], schema['allOf']].flatMap((list) =>
      Array.isArray(list) ? list.filter(isObject) : [],
    )
    const found = first(choices.map((choice) => typeOf(choice, depth + 1)))
    if (found !== undefined) return found
  }
  const values = Array.isArray(schema['enum']) ? schema['enum'] : [schema['const'], schema['default']]
  return first(values.map(typeOfValue)) ?? byKeyword(schema)
}

/** Selects `null` only if there is no other type. */
function first(types: readonly unknown[]): string | undefined {
  const texts = types.filter((type) => typeof type === 'string')
  return texts.find((type) => type !== 'null') ?? texts[0]
}

function typeOfValue(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

const KEYWORDS: readonly (readonly [string, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum']],
]

function byKeyword(schema: JsonObject): string | undefined {
  return KEYWORDS.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined))?.[0]
}
