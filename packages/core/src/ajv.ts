import { createAjvCompiler } from './schema/ajv.ts'
import { bundledAjv } from './schema/ajv-modules.ts'
import { buildSchemaEngine } from './schema/build-engine.ts'
import type { SchemaEngine } from './schema/types.ts'

/**
 * The engine that a server has by default, for the option `schemaEngine` of one that is bundled without a schema cache:
 * the default loads ajv from `node_modules` when it first compiles a schema, and a bundle may have none beside it. This
 * module imports ajv, so that it becomes part of the bundle.
 */
export function ajvEngine(): SchemaEngine {
  return buildSchemaEngine(createAjvCompiler(bundledAjv))
}
