import { definitionOf, isStripping, uncover, type ZodDef, type ZodSchema } from '../convert/zod.ts'

/** Returns whether a value matches one alternative of a union, apart from unknown properties. */
export type Fits = (alternative: ZodSchema, value: unknown) => boolean

/**
 * Deletes the properties that zod would drop if it parsed the value. Modifies the value in place, so pass a
 * copy. A value that matches no alternative of a union is not changed, because the subsequent validation
 * rejects it.
 *
 * @returns whether anything was deleted
 */
export function prune(schema: ZodSchema, value: unknown, fits: Fits): boolean {
  const pruning = { fits, changed: false }
  if (isContainer(value)) pruneContainer([schema], value, pruning)
  return pruning.changed
}

interface Pruning {
  readonly fits: Fits
  changed: boolean
}

type Container = Record<string, unknown> | unknown[]

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

/** In an intersection, several schemas describe one value. A property is kept if any of them declares it. */
function pruneContainer(schemas: readonly ZodSchema[], value: Container, pruning: Pruning): void {
  const parts = schemas.flatMap((schema) => flatten(schema, value, pruning.fits))
  if (parts.length === 0) return
  if (!Array.isArray(value) && parts.every(isStripping)) deleteUnknown(parts, value, pruning)
  const schemaAt = Array.isArray(value) ? itemSchema : propertySchema
  for (const [key, child] of Object.entries(value)) {
    if (!isContainer(child)) continue
    const inner = parts.flatMap((part) => schemaAt(definitionOf(part), key) ?? [])
    pruneContainer(inner, child, pruning)
  }
}

function deleteUnknown(parts: readonly ZodSchema[], object: Record<string, unknown>, pruning: Pruning): void {
  const shapes = parts.map((part) => definitionOf(part).shape ?? {})
  for (const key of Object.keys(object)) {
    if (shapes.some((shape) => Object.hasOwn(shape, key))) continue
    delete object[key]
    pruning.changed = true
  }
}

/** Looks through wrappers and intersections, and picks the first alternative that matches, as zod does. */
function flatten(schema: ZodSchema, value: object, fits: Fits): ZodSchema[] {
  const def = definitionOf(schema)
  if (def.options !== undefined) {
    const chosen = def.options.find((option) => fits(option, value))
    return chosen === undefined ? [schema] : flatten(chosen, value, fits)
  }
  if (def.type === 'intersection')
    return [def.left!, def.right!].flatMap((side) => flatten(side, value, fits))
  const inner = uncover(schema, 'output')
  return inner === undefined ? [schema] : flatten(inner, value, fits)
}

const itemSchema = ({ element, items, rest }: ZodDef, index: string): ZodSchema | null | undefined =>
  element ?? items?.[Number(index)] ?? rest

function propertySchema({ shape, catchall, valueType }: ZodDef, key: string): ZodSchema | undefined {
  const own = shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : undefined
  return own ?? catchall ?? valueType
}
