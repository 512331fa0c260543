import { tieredEngine } from '../../src/schema/tiered-engine.ts'
import { describeIssues } from '../../src/schema/issues.ts'
import type {
  AnySchema,
  CheckedInput,
  CheckedOutput,
  SchemaEngine,
  SchemaSite,
} from '../../src/schema/types.ts'

export const engine: SchemaEngine = tieredEngine()

export const inputSite: SchemaSite = { kind: 'tool', name: 'get_forecast', field: 'inputSchema' }
export const outputSite: SchemaSite = { ...inputSite, field: 'outputSchema' }

export const publishedInput = (schema: AnySchema): unknown => engine.input(schema, inputSite).jsonSchema
export const publishedOutput = (schema: AnySchema): unknown => engine.output(schema, outputSite).jsonSchema

/** Returns the checked input. For an invalid value, returns the issues as text in `refused`. */
export async function checkInput(schema: AnySchema, value: unknown): Promise<unknown> {
  const checked: CheckedInput = await engine.input(schema, inputSite).check(value)
  return checked.ok ? checked.value : { refused: describeIssues(checked.issues) }
}

/** Returns the parsed JSON of an output. For an invalid value, returns the issues as text in `refused`. */
export function checkOutput(schema: AnySchema, value: unknown): unknown {
  const checked: CheckedOutput = engine.output(schema, outputSite).check(value, JSON.stringify(value))
  return checked.ok ? JSON.parse(checked.json) : { refused: describeIssues(checked.issues) }
}
