import type { AnySchema } from '@jetway/core'
import { describeIssues, tieredEngine, type SchemaEngine, type SchemaSite } from '@jetway/core/schema'

export const engine: SchemaEngine = tieredEngine()

export const inputSite: SchemaSite = { kind: 'tool', name: 'get_forecast', field: 'inputSchema' }
export const outputSite: SchemaSite = { ...inputSite, field: 'outputSchema' }

export const publishedInput = (schema: AnySchema): unknown => engine.input(schema, inputSite).jsonSchema
export const publishedOutput = (schema: AnySchema): unknown => engine.output(schema, outputSite).jsonSchema

/** Returns the result of an input check, or the issues as text if the value is rejected. */
export async function checkInput(schema: AnySchema, value: unknown): Promise<unknown> {
  const checked = await engine.input(schema, inputSite).check(value)
  return checked.ok ? checked.value : { refused: describeIssues(checked.issues) }
}

/** Returns the output after a round trip through JSON, or `refused` with the issues as text. */
export function checkOutput(schema: AnySchema, value: unknown): unknown {
  const checked = engine.output(schema, outputSite).check(value, JSON.stringify(value))
  return checked.ok ? JSON.parse(checked.json) : { refused: describeIssues(checked.issues) }
}
