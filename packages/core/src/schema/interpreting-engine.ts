import { createSchemaEngine } from './engine.ts'
import type { SchemaEngine } from './types.ts'
import { interpret } from './validate/interpret.ts'

let engine: SchemaEngine | undefined

/**
 * Interprets schemas for good, and brings no ajv into a bundle. All servers share it, and
 * with it what it has converted.
 */
export function interpretingEngine(): SchemaEngine {
  return (engine ??= createSchemaEngine(interpret))
}
