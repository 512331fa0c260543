import { createSchemaEngine } from './engine.ts'
import type { SchemaEngine } from './types.ts'
import { interpret } from './validate/interpret.ts'

let engine: SchemaEngine | undefined

/**
 * Always interprets schemas, so that no bundle contains ajv. All servers share it and its converted schemas.
 */
export function interpretingEngine(): SchemaEngine {
  return (engine ??= createSchemaEngine(interpret))
}
