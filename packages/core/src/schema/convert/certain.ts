import { asZod, definitionOf, type ZodSchema } from './zod.ts'

/** The maximum depth. Deeper schemas may overflow the stack during conversion. */
const MAX_DEPTH = 32
const PLAIN_TYPES = new Set(['string', 'number', 'int', 'boolean', 'null', 'any', 'unknown', 'enum'])
const COVERS = new Set(['optional', 'nullable', 'readonly', 'nonoptional'])
/** Metadata that converts unchanged. Any other metadata may change the schema, or request headers. */
const HARMLESS_META = new Set(['description', 'title', 'examples', 'deprecated'])

/**
 * Returns whether zod is certain to convert an object to a JSON Schema that need not be checked at
 * registration. This takes a fraction of the time of a conversion, so the conversion can be deferred until a
 * client lists the tools.
 */
export function convertsForCertain(schema: ZodSchema): boolean {
  return definitionOf(schema).type === 'object' && isCertain(schema, new Set(), 0)
}

function isCertain(schema: ZodSchema, seen: Set<ZodSchema>, depth: number): boolean {
  if (seen.has(schema)) return true
  if (depth > MAX_DEPTH || asZod(schema) === undefined || !hasHarmlessMeta(schema)) return false
  seen.add(schema)
  const parts = partsOf(schema)
  return parts !== undefined && parts.every((part) => isCertain(part, seen, depth + 1))
}

/** Returns the subschemas, or undefined for a kind of schema that zod may reject, or that runs the author's code. */
function partsOf(schema: ZodSchema): readonly ZodSchema[] | undefined {
  const def = definitionOf(schema)
  if (PLAIN_TYPES.has(def.type)) return []
  if (COVERS.has(def.type)) return def.innerType && [def.innerType]
  switch (def.type) {
    case 'object':
      return [
        ...Object.values(def.shape ?? {}),
        ...(def.catchall?._zod.def.type === 'never' ? [] : given(def.catchall)),
      ]
    case 'array':
      return def.element && [def.element]
    case 'union':
      return def.options
    case 'literal':
      return def.values?.every(isJsonValue) === true ? [] : undefined
    case 'default':
      return isJsonValue(def.defaultValue) ? def.innerType && [def.innerType] : undefined
    default:
      return undefined
  }
}

const given = (part: ZodSchema | undefined): ZodSchema[] => (part === undefined ? [] : [part])

const isJsonValue = (value: unknown): boolean =>
  value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)

function hasHarmlessMeta(schema: ZodSchema): boolean {
  if (schema._zod.toJSONSchema !== undefined) return false
  const meta = schema.meta?.()
  if (meta === undefined) return schema.meta !== undefined
  for (const key in meta) if (!HARMLESS_META.has(key)) return false
  return true
}
