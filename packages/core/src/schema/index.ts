export { tieredEngine } from './tiered-engine.ts'
export { describeIssues } from './issues.ts'
export type { CompiledInput, CompiledOutput, Issue, SchemaEngine, SchemaSite } from './types.ts'
