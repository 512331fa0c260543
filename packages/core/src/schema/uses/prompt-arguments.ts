import { invalidSchema } from '../convert/recognise.ts'
import { describes } from '@jetway/json-schema'
import type { JsonSchema, SchemaSite } from '../types.ts'

/** https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#prompt */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean
}

/**
 * Reads a prompt's arguments from the JSON Schema of its input.
 *
 * @throws UsageError `ERR_MCP_SCHEMA_INVALID` for an argument that is not a string, because clients send only
 * strings
 */
export function promptArguments(jsonSchema: JsonSchema, site: SchemaSite): PromptArgument[] {
  const required = Array.isArray(jsonSchema['required']) ? (jsonSchema['required'] as unknown[]) : []
  return Object.entries(asObject(jsonSchema['properties'])).map(([name, property]) => {
    if (!describes(property, jsonSchema, isString)) {
      throw invalidSchema(
        site,
        `the argument ${JSON.stringify(name)} must be a string, an enum of strings, or one of these made optional; ` +
          'convert it in the schema (z.string().transform(Number)) or in the handler',
      )
    }
    const { title, description } = asObject(property)
    return {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      required: required.includes(name),
    }
  })
}

function isString({ type, const: only, enum: values }: JsonSchema): boolean | undefined {
  if (type !== undefined) return type === 'string'
  if (typeof only === 'string') return true
  const isChoice =
    Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string')
  return isChoice || undefined
}

function asObject(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
}
