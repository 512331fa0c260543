import { createSchemaEngine } from './engine.ts'
import type { SchemaEngine } from './types.ts'
import { compileWithAjv } from './validate/ajv.ts'
import { interpret } from './validate/interpret.ts'
import { createTieredCompiler } from './validate/tiered.ts'

let engine: SchemaEngine | undefined

/**
 * Interprets schemas until they are hot, then compiles them. All servers share this engine and its converted schemas.
 */
export function tieredEngine(): SchemaEngine {
  return (engine ??= createSchemaEngine(createTieredCompiler({ interpret, generate: compileWithAjv })))
}
