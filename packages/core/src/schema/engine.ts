import { ajvCompiler } from './ajv.ts'
import { buildSchemaEngine } from './build-engine.ts'
import type { SchemaEngine } from './types.ts'

/** The full engine: every kind of schema, compiled by ajv, which needs a runtime that allows `new Function`. */
export function createSchemaEngine(): SchemaEngine {
  return buildSchemaEngine(ajvCompiler)
}
