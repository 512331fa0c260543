import { isObject, type JsonObject } from '@jetway/core/protocol'
import { eachSchema } from './model-schema.ts'

/**
 * A schema in which every part has one `type`, for hosts whose validators go by that. Of several types the first counts
 * that is not `null`; without one it follows from what the part allows: the choices of `oneOf` and `anyOf`, the values of
 * `enum` and `const`, the default, or which keywords there are. Everything else stays as it is, `$defs` and the choices
 * too. It may say less than the schema that came: models get that one.
 */
export function withSingleTypes(schema: JsonObject): JsonObject {
  return eachSchema(schema, (each) => {
    const type = typeOf(each, 0)
    return type === undefined || each['type'] === type ? each : { ...each, type }
  })
}

/** Choices inside of choices that are looked at. */
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

/** `null` only where there is nothing else. */
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
