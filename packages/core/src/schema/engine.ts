import { createAjvCompiler } from './validate/ajv.ts'
import { buildSchemaEngine } from './build-engine.ts'
import { installedAjv } from './validate/load-ajv.ts'
import type { JsonSchemaCompiler, SchemaEngine } from './types.ts'

/** Shared by all servers; loads ajv when it first compiles a schema. */
const ajvCompiler: JsonSchemaCompiler = createAjvCompiler(installedAjv)

/** The full engine: every kind of schema, compiled by ajv, which needs a runtime that allows `new Function`. */
export function createSchemaEngine(): SchemaEngine {
  return buildSchemaEngine(ajvCompiler)
}
