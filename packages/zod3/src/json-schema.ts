import { ignoreOverride, parseDef, type Refs, zodToJsonSchema } from 'zod-to-json-schema'
import { optionsOf, type Side, type Zod3Def, type Zod3Node } from './types.ts'

/** Called for every object that has been converted. It may change the result. */
export type OnObject = (def: Zod3Def, jsonSchema: Record<string, unknown>) => void

/**
 * Converts a zod 3 schema to JSON Schema 2020-12, as zod 4 would. Inputs allow unknown properties, but
 * outputs do not. Throws an error for types without a JSON equivalent, which zod-to-json-schema would convert
 * to strings or omit.
 */
export function zod3ToJsonSchema(schema: Zod3Node, side: Side, onObject: OnObject): Record<string, unknown> {
  const converted = zodToJsonSchema(schema as never, {
    // Other targets represent `exclusiveMinimum` as a boolean. The override corrects the remaining differences
    // from 2020-12.
    target: 'jsonSchema7',
    pipeStrategy: side,
    override: (given, refs, seen, anew) => {
      const def = given as unknown as Zod3Def
      for (const each of [def, ...covered(def)]) refuse(each, side)
      // zod-to-json-schema does not escape names in the references that it creates.
      if (seen !== undefined && anew !== true) return { $ref: seen.path.map(escape).join('/') }
      return def.typeName === 'ZodTuple' ? convertTuple(def, refs) : ignoreOverride
    },
    postProcess: (jsonSchema, given) => {
      const def = given as unknown as Zod3Def
      if (jsonSchema !== undefined && def.typeName === 'ZodObject') {
        finishObject(def, jsonSchema, side)
        onObject(def, jsonSchema)
      }
      return jsonSchema
    },
  })
  return { ...converted, $schema: 'https://json-schema.org/draft/2020-12/schema' }
}

const escape = (segment: string): string =>
  segment === '#' ? segment : encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))

/**
 * Returns the schemas inside unions and inside wrappers such as `nullable`, because zod-to-json-schema does
 * not call the override for primitives in them.
 */
function covered(def: Zod3Def): Zod3Def[] {
  return [...optionsOf(def), ...(def.innerType === undefined ? [] : [def.innerType])].map((node) => node._def)
}

const NOT_IN_JSON = new Set([
  'ZodBigInt',
  'ZodDate',
  'ZodFunction',
  'ZodMap',
  'ZodNaN',
  'ZodPromise',
  'ZodSet',
  'ZodSymbol',
  'ZodUndefined',
  'ZodVoid',
])

function refuse(def: Zod3Def, side: Side): void {
  const { typeName, effect, value } = def
  if (NOT_IN_JSON.has(typeName)) throw new Error(`${typeName} cannot be represented in JSON Schema`)
  if (typeName === 'ZodLiteral' && ['bigint', 'symbol', 'undefined'].includes(typeof value))
    throw new Error(`A literal ${typeof value} cannot be represented in JSON Schema`)
  if (side === 'output' && effect?.type === 'transform')
    throw new Error('Transforms cannot be represented in JSON Schema')
}

/** Converts tuples. 2020-12 uses `prefixItems` where draft-07 uses `items` with a list. */
function convertTuple(def: Zod3Def, refs: Refs): object {
  const { items = [], rest, description } = def
  refs.seen.set(def, { def, path: refs.currentPath, jsonSchema: undefined })
  const part = (node: Zod3Node, ...path: string[]): unknown =>
    parseDef(node._def, { ...refs, currentPath: [...refs.currentPath, ...path] })
  return {
    type: 'array',
    prefixItems: items.map((item, i) => part(item, 'prefixItems', String(i))),
    items: rest ? part(rest, 'items') : false,
    minItems: items.length,
    ...(description !== undefined && { description }),
  }
}

function finishObject(def: Zod3Def, jsonSchema: Record<string, unknown>, side: Side): void {
  if (side === 'input' && def.unknownKeys === 'strip' && !hasCatchall(def))
    delete jsonSchema['additionalProperties']
  if (side === 'input') return
  const required = Object.entries(def.shape?.() ?? {})
    .filter(([, node]) => !mayBeAbsent(node._def))
    .map(([key]) => key)
  if (required.length === 0) delete jsonSchema['required']
  else jsonSchema['required'] = required
}

export function hasCatchall({ catchall }: Zod3Def): boolean {
  return catchall !== undefined && catchall._def.typeName !== 'ZodNever'
}

/** Returns whether a schema's output may be undefined. A schema with a default never outputs undefined. */
function mayBeAbsent(def: Zod3Def, within: readonly Zod3Def[] = []): boolean {
  if (within.includes(def)) return false
  const isOptional = (node: Zod3Node | undefined): boolean =>
    node !== undefined && mayBeAbsent(node._def, [...within, def])
  switch (def.typeName) {
    case 'ZodOptional':
    case 'ZodAny':
    case 'ZodUnknown':
      return true
    case 'ZodDefault':
      return false
    case 'ZodUnion':
    case 'ZodDiscriminatedUnion':
      return optionsOf(def).some(isOptional)
    case 'ZodIntersection':
      return isOptional(def.left) && isOptional(def.right)
    case 'ZodBranded':
      return isOptional(def.type)
    case 'ZodLazy':
      return isOptional(def.getter?.())
    default:
      return isOptional(def.innerType ?? def.schema ?? def.out)
  }
}
