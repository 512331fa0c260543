import { usageError, type UsageError } from '../../errors.ts'
import type { JsonSchema, SchemaSite, StandardSchema } from '../types.ts'
import { asZod, type ZodSchema } from './zod.ts'

export type Recognised =
  | { readonly kind: 'standard'; readonly schema: StandardSchema; readonly zod: ZodSchema | undefined }
  | { readonly kind: 'json'; readonly schema: JsonSchema }

/**
 * Recognises a schema by its structure. A project may contain several copies of a library, so `instanceof` does
 * not work.
 */
export function recognise(schema: unknown, site: SchemaSite): Recognised {
  if (!isObjectLike(schema))
    throw unsupported(site, 'is not a schema; give a zod object or a JSON Schema object')
  const zod = asZod(schema)
  const standard = schema['~standard']
  if (isObjectLike(standard) && typeof standard['validate'] === 'function') {
    if (isObjectLike(standard['jsonSchema'])) {
      return { kind: 'standard', schema: schema as unknown as StandardSchema, zod }
    }
    throw unsupported(site, withoutJsonSchema(schema, zod, standard['vendor']))
  }
  if (zod !== undefined || isZod3(schema)) throw unsupported(site, withoutJsonSchema(schema, zod, 'zod'))
  if (typeof schema === 'function' || !isPlain(schema)) {
    throw unsupported(
      site,
      'is neither a schema of a library that Jetway knows nor a plain JSON Schema object',
    )
  }
  if (Object.values(schema).some((value) => isObjectLike(value) && ('~standard' in value || isZod3(value)))) {
    throw unsupported(site, 'is an object of schemas, not a schema; wrap it: z.object({ … })')
  }
  return { kind: 'json', schema }
}

function withoutJsonSchema(schema: Loose, zod: ZodSchema | undefined, vendor: unknown): string {
  if (zod !== undefined) {
    return (
      'gives no JSON Schema; build it with "zod" 4.2 or later, ' +
      'not with an earlier one nor with "zod/mini", or pass z.toJSONSchema(schema)'
    )
  }
  if (isZod3(schema)) {
    return 'is of zod 3, which gives no JSON Schema; wrap it with zod3 from "@jetway/zod3"' + ageOf(schema)
  }
  if (vendor === 'valibot') {
    return 'gives no JSON Schema; wrap it with toStandardJsonSchema from "@valibot/to-json-schema"'
  }
  return (
    `is of ${typeof vendor === 'string' ? JSON.stringify(vendor) : 'a library'} and gives no JSON Schema ` +
    '("~standard".jsonSchema); use a version or a wrapper that does, or pass JSON Schema itself'
  )
}

/** Returns a hint for versions before 3.25, because validation requires a member that 3.25 introduced. */
function ageOf(schema: Loose): string {
  return isObjectLike(schema['~standard']) ? '' : ', which needs zod 3.25 or later: update "zod"'
}

function describeSite({ kind, name, field }: SchemaSite): string {
  return `${field} of ${kind} ${JSON.stringify(name)}`
}

function unsupported(site: SchemaSite, problem: string): UsageError {
  return usageError('ERR_MCP_SCHEMA_UNSUPPORTED', `${describeSite(site)} ${problem}`)
}

export function invalidSchema(site: SchemaSite, problem: string, cause?: unknown): UsageError {
  return usageError('ERR_MCP_SCHEMA_INVALID', `${describeSite(site)}: ${problem}`, { cause })
}

type Loose = Readonly<Record<string, unknown>>

function isObjectLike(value: unknown): value is Loose {
  return (typeof value === 'object' && value !== null && !Array.isArray(value)) || typeof value === 'function'
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object from another realm has a different `Object.prototype`, whose own prototype is also null.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function isZod3(schema: Loose): boolean {
  const def = schema['_def']
  return isObjectLike(def) && typeof def['typeName'] === 'string' && def['typeName'].startsWith('Zod')
}
