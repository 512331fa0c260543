import { createAjvCompiler } from './schema/validate/ajv.ts'
import { buildSchemaEngine } from './schema/build-engine.ts'
import { bundledAjv } from './schema/validate/bundled-ajv.ts'
import type { SchemaEngine } from './schema/types.ts'

/**
 * The engine that a server has by default, for the option `schemaEngine` of one that is bundled without a schema cache:
 * the default loads ajv from a file of its own when it first compiles a schema, and a bundle has none beside it. This
 * module imports that file, so that it becomes part of the bundle.
 */
export function ajvEngine(): SchemaEngine {
  return buildSchemaEngine(createAjvCompiler(bundledAjv))
}
