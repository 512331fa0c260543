import type { JsonObject } from '@jetway/core/protocol'

/** Schemas, keyed by name. */
export type Definitions = Readonly<Record<string, JsonObject>>

/** The properties of an object schema, including those of its parts. */
interface Shape {
  readonly properties: JsonObject
  readonly required: readonly string[]
}

/**
 * Returns a copy in which `allOf` no longer combines objects, because each branch would see all properties
 * but know only some of them. The combined objects are closed.
 */
export function flatten(value: unknown, definitions: Definitions): unknown {
  if (Array.isArray(value)) return value.map((item) => flatten(item, definitions))
  if (!isSchema(value)) return value
  if (!('allOf' in value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, flatten(item, definitions)]))
  const shapes = shapesOf(value, definitions).map(({ properties, required }) => ({
    type: 'object',
    properties: flatten(properties, definitions),
    required: [...new Set(required)],
  }))
  return shapes.length === 1 ? shapes[0] : { anyOf: shapes }
}

/**
 * Returns one shape, or all shapes of a union. If several parts define the same property, the last one takes
 * precedence.
 */
function shapesOf(schema: JsonObject, definitions: Definitions): readonly Shape[] {
  const { $ref, anyOf, allOf, properties = {}, required = [] } = schema
  if (typeof $ref === 'string') return shapesOf(definitions[nameOf($ref)] ?? {}, definitions)
  const each = (branches: unknown): (readonly Shape[])[] =>
    (branches as readonly JsonObject[]).map((branch) => shapesOf(branch, definitions))
  if (anyOf !== undefined) return each(anyOf).flat()
  const own: Shape = { properties: properties as JsonObject, required: required as readonly string[] }
  if (allOf === undefined) return [own]
  return each(allOf).reduce<readonly Shape[]>(
    (shapes, more) => shapes.flatMap((shape) => more.map((other) => join(shape, other))),
    [own],
  )
}

const join = (one: Shape, other: Shape): Shape => ({
  properties: { ...one.properties, ...other.properties },
  required: [...one.required, ...other.required],
})

/** Returns the name of the definition that a reference refers to. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

const isSchema = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
