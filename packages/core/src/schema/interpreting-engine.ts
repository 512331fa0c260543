import { createSchemaEngine } from './engine.ts'
import type { SchemaEngine } from './types.ts'
import { interpret } from './validate/interpret.ts'

let engine: SchemaEngine | undefined

/**
 * Creates an engine that always interprets schemas, so that bundles do not contain ajv. All servers share this
 * engine and its converted schemas.
 */
export const interpretingEngine = (): SchemaEngine => (engine ??= createSchemaEngine(interpret))
