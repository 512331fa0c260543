import type { JsonObject } from './jsonrpc.ts'

/**
 * The JSON text of a result's structured content, carried with it so that it is stringified once and serves
 * the envelope and the text mirror. A middleware that spreads a result copies this member too, so it names
 * the value it belongs to, and counts only while that value is still the one in place.
 */
export const STRUCTURED_JSON: unique symbol = Symbol('structured JSON')

export interface WithStructuredJson {
  readonly structuredContent?: unknown
  readonly [STRUCTURED_JSON]?: {
    readonly value: unknown
    readonly json: string
    /** The member that holds the value where a structured value must be an object. */
    readonly member?: string | undefined
  }
}

/**
 * The `outputSchema` of a tool where a structured value must be an object, and this tool's is wrapped in one.
 */
export const WRAPPED_OUTPUT: unique symbol = Symbol('wrapped output')

export interface WithWrappedOutput {
  readonly [WRAPPED_OUTPUT]?: JsonObject
}

/** The structured content as an object; undefined if it is none. */
export function structuredObjectJson(result: WithStructuredJson): string | undefined {
  const json = structuredJson(result)
  const member = result[STRUCTURED_JSON]?.member
  if (json !== undefined && member !== undefined) return `{${JSON.stringify(member)}:${json}}`
  // An object can be something else in JSON: a date is a string.
  return json?.startsWith('{') === true ? json : undefined
}

/** The JSON text of the structured content, without stringifying it again where that was done already. */
export function structuredJson(result: WithStructuredJson): string | undefined {
  const held = result[STRUCTURED_JSON]
  if (held !== undefined && held.value === result.structuredContent) return held.json
  return result.structuredContent === undefined ? undefined : JSON.stringify(result.structuredContent)
}
