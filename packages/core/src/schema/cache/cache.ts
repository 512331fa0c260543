import type { Pruning } from '../convert/publish.ts'
import type { JsonSchema } from '../types.ts'
import type { Validate } from '../validate/validator.ts'
import { VERSION } from './version.ts'

/** What `jetway schemas build` writes and the option `schemas` takes: the schemas of a server, converted and compiled. */
export interface SchemaCache {
  /** Of `@jetway/core`; another version takes nothing from the cache. */
  readonly jetway: string
  /** The version of ajv that made the validators. */
  readonly ajv: string
  readonly entries: Readonly<Record<string, CachedSchema>>
}

/** One schema of a {@link SchemaCache}. */
export interface CachedSchema {
  /** SHA-256, in hexadecimal, over the published schema, its code, and the versions of what made them. */
  readonly digest: string
  /** The library that the schema is of, with its version where it says it. */
  readonly library: string
  /** Whether it was closed to properties that it does not name. */
  readonly strict: boolean
  /** As published. */
  readonly jsonSchema: JsonSchema
  /** Which properties are dropped from values; only for results of zod. */
  readonly pruning?: Pruning
  /** Missing where the library checks the values. */
  readonly validator?: MakeValidator
  /** Of each alternative of a union in the schema; missing where nothing is dropped from values. */
  readonly alternatives?: readonly (MakeValidator | null)[]
}

/** A validator as the body of a function of `published`, and the names that it needs of `@jetway/core/schema-runtime`. */
export interface StandaloneCode {
  readonly code: string
  readonly helpers: readonly string[]
}

/** Makes a validator; given the schema that it is for. */
export type MakeValidator = (schema: JsonSchema) => Validate

/** One that has nothing, which is no fault of its version. */
export const emptyCache: SchemaCache = Object.freeze({ jetway: VERSION, ajv: 'none', entries: {} })

/** Whether a value has the form of a cache; it says nothing of the age of what is in it. */
export function isSchemaCache(value: unknown): value is SchemaCache {
  if (typeof value !== 'object' || value === null) return false
  const { jetway, ajv, entries } = value as Partial<Record<keyof SchemaCache, unknown>>
  return (
    typeof jetway === 'string' && typeof ajv === 'string' && typeof entries === 'object' && entries !== null
  )
}
