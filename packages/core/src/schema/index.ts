export { ajvCompiler } from './ajv.ts'
export { createSchemaEngine } from './engine.ts'
export type { Issue, JsonSchema, JsonSchemaCompiler, JsonValidator, SchemaEngine } from './types.ts'
