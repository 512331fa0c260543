export { ajvCompiler, createSchemaEngine } from './engine.ts'
export type { Issue, JsonSchema, JsonSchemaCompiler, JsonValidator, SchemaEngine } from './types.ts'
