import type { JsonObject } from './jsonrpc.ts'

/**
 * The JSON text of a result's structured content, kept with it so that it is serialised once for the envelope
 * and the text content. Middleware that spreads a result copies this member too, so it refers to its value, and
 * counts only while the result still has that value.
 */
export const STRUCTURED_JSON: unique symbol = Symbol('structured JSON')

export interface WithStructuredJson {
  readonly structuredContent?: unknown
  readonly [STRUCTURED_JSON]?: {
    readonly value: unknown
    readonly json: string
    /** The member that contains the value if structured values must be objects. */
    readonly member?: string | undefined
  }
}

/** The wrapped `outputSchema` of a tool, if structured values must be objects and the tool's own are not. */
export const WRAPPED_OUTPUT: unique symbol = Symbol('wrapped output')

export interface WithWrappedOutput {
  readonly [WRAPPED_OUTPUT]?: JsonObject
}

/** Returns the structured content as an object, or undefined if it is not one. */
export function structuredObjectJson(result: WithStructuredJson): string | undefined {
  const json = structuredJson(result)
  const member = result[STRUCTURED_JSON]?.member
  if (json !== undefined && member !== undefined) return `{${JSON.stringify(member)}:${json}}`
  // An object can have another JSON type: a date is a string.
  return json?.startsWith('{') === true ? json : undefined
}

/** Returns the JSON text of the structured content, without serialising it again. */
export function structuredJson(result: WithStructuredJson): string | undefined {
  const held = result[STRUCTURED_JSON]
  if (held !== undefined && held.value === result.structuredContent) return held.json
  return result.structuredContent === undefined ? undefined : JSON.stringify(result.structuredContent)
}
