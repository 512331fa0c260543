import { createSchemaEngine } from './engine.ts'
import type { SchemaEngine } from './types.ts'
import { compileWithAjv } from './validate/ajv.ts'
import { interpret } from './validate/interpret.ts'
import { createTieredCompiler } from './validate/tiered.ts'

let engine: SchemaEngine | undefined

/**
 * Creates an engine that interprets schemas until they are used often, then compiles them. All servers share
 * this engine and its converted schemas.
 */
export function tieredEngine(): SchemaEngine {
  return (engine ??= createSchemaEngine(createTieredCompiler({ interpret, generate: compileWithAjv })))
}
