import { createAjvCompiler } from './ajv.ts'
import { buildSchemaEngine } from './build-engine.ts'
import { installedAjv } from './load-ajv.ts'
import type { JsonSchemaCompiler, SchemaEngine } from './types.ts'

/** Its instances are shared by all servers. */
const compiler: JsonSchemaCompiler = createAjvCompiler(installedAjv)

/** The full engine: every kind of schema, compiled by ajv, which needs a runtime that allows `new Function`. */
export function createSchemaEngine(): SchemaEngine {
  return buildSchemaEngine(compiler)
}
