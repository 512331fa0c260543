import { definitionOf, isStripping, uncover, type ZodSchema } from './zod.ts'

/** Whether a value fits one alternative of a union, unknown properties aside. */
export type Fits = (alternative: ZodSchema, value: unknown) => boolean

/**
 * Deletes the properties that zod would let fall if it parsed the value, in place: give it a copy. A value
 * that fits no alternative of a union is left alone there, for the validation that follows to refuse.
 *
 * @returns whether anything was deleted
 */
export function prune(schema: ZodSchema, value: unknown, fits: Fits): boolean {
  return pruneAll([schema], value, fits)
}

/** Several schemas describe one value where an intersection joins them; what any of them knows stays. */
function pruneAll(schemas: readonly ZodSchema[], value: unknown, fits: Fits): boolean {
  if (typeof value !== 'object' || value === null || schemas.length === 0) return false
  const parts = schemas.flatMap((schema) => flatten(schema, value, fits))
  return Array.isArray(value)
    ? pruneItems(parts, value, fits)
    : pruneProperties(parts, value as Record<string, unknown>, fits)
}

function pruneItems(parts: readonly ZodSchema[], items: readonly unknown[], fits: Fits): boolean {
  let changed = false
  for (const [i, item] of items.entries()) {
    if (
      pruneAll(
        parts.flatMap((part) => itemSchemas(part, i)),
        item,
        fits,
      )
    )
      changed = true
  }
  return changed
}

function pruneProperties(parts: readonly ZodSchema[], object: Record<string, unknown>, fits: Fits): boolean {
  const stripping = parts.every(isStripping)
  let changed = false
  for (const key of Object.keys(object)) {
    if (stripping && !parts.some((part) => Object.hasOwn(definitionOf(part).shape ?? {}, key))) {
      delete object[key]
      changed = true
    } else if (
      pruneAll(
        parts.flatMap((part) => propertySchemas(part, key)),
        object[key],
        fits,
      )
    ) {
      changed = true
    }
  }
  return changed
}

/** Looks through covers and intersections, and picks the first alternative that fits, as zod does. */
function flatten(schema: ZodSchema, value: object, fits: Fits): ZodSchema[] {
  const def = definitionOf(schema)
  if (def.options !== undefined) {
    const chosen = def.options.find((option) => fits(option, value))
    return chosen === undefined ? [schema] : flatten(chosen, value, fits)
  }
  if (def.left !== undefined && def.right !== undefined) {
    return [...flatten(def.left, value, fits), ...flatten(def.right, value, fits)]
  }
  const inner = uncover(schema, 'output')
  return inner === undefined ? [schema] : flatten(inner, value, fits)
}

function itemSchemas(schema: ZodSchema, index: number): ZodSchema[] {
  const def = definitionOf(schema)
  const item = def.element ?? def.items?.[index] ?? def.rest
  return item ? [item] : []
}

function propertySchemas(schema: ZodSchema, key: string): ZodSchema[] {
  const def = definitionOf(schema)
  const own = def.shape !== undefined && Object.hasOwn(def.shape, key) ? def.shape[key] : undefined
  const property = own ?? def.catchall ?? def.valueType
  return property === undefined ? [] : [property]
}
