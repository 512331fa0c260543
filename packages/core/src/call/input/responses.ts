import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { toBase64Url } from '../../util/bytes.ts'

/** What came back for one question, and which question that was. */
export interface PinnedResponse {
  /** See {@link pinOf}. */
  readonly pin: string
  readonly response: JsonObject
}

export type ResponsesByKey = ReadonlyMap<string, PinnedResponse>

/**
 * Adds a round's answers to those of earlier rounds. Only what was asked counts: a key that was not is ignored, since a
 * client could otherwise answer what it was never shown.
 *
 * @param asked - the pin of each question of the round
 * @param responses - as the client sent them
 */
export function mergeResponses(
  known: ResponsesByKey,
  asked: ReadonlyMap<string, string>,
  responses: JsonObject,
): ResponsesByKey {
  const merged = new Map(known)
  for (const [key, pin] of asked) {
    const response = Object.hasOwn(responses, key) ? responses[key] : undefined
    if (isObject(response)) merged.set(key, { pin, response })
  }
  return merged
}

/** The answer to exactly this question. One to another question under the same key is none: the person saw other words. */
export function responseTo(known: ResponsesByKey, key: string, pin: string): JsonObject | undefined {
  const answer = known.get(key)
  return answer?.pin === pin ? answer.response : undefined
}

/** A digest of what a person or model is asked. */
export const pinOf = (shown: JsonObject): Promise<string> => digestOf(shown)

/** SHA-256 over JSON with sorted keys, in base64url. */
export async function digestOf(value: JsonObject): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(value))
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Two objects that differ in the order of their members only have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
