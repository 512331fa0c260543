/**
 * The JSON text of a result's structured content, carried with it so that it is stringified once and serves the
 * envelope and the text mirror. A middleware that spreads a result copies this member too, so it names the value it
 * belongs to, and counts only while that value is still the one in place.
 */
export const STRUCTURED_JSON: unique symbol = Symbol('structured JSON')

export interface WithStructuredJson {
  readonly structuredContent?: unknown
  readonly [STRUCTURED_JSON]?: { readonly value: unknown; readonly json: string }
}

/** The JSON text of the structured content, without stringifying it again where that was done already. */
export function structuredJson(result: WithStructuredJson): string | undefined {
  const held = result[STRUCTURED_JSON]
  if (held !== undefined && held.value === result.structuredContent) return held.json
  return result.structuredContent === undefined ? undefined : JSON.stringify(result.structuredContent)
}
