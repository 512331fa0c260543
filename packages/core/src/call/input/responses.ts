import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { toBase64Url } from '../../util/bytes.ts'

/** A response, and the digest of the question that it answers. */
export interface PinnedResponse {
  readonly pin: string
  readonly response: JsonObject
}

export type ResponsesByKey = ReadonlyMap<string, PinnedResponse>

/**
 * Adds a round's responses to those of earlier rounds. Keys that were not asked are ignored, because a client
 * could otherwise answer a question that it never showed.
 *
 * @param asked - the digest of each question of the round
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

/**
 * Returns the response to exactly this question, or undefined if the question with this key has changed since.
 */
export function responseTo(known: ResponsesByKey, key: string, pin: string): JsonObject | undefined {
  const answer = known.get(key)
  return answer?.pin === pin ? answer.response : undefined
}

/** Returns the SHA-256 of JSON with sorted keys, in base64url. */
export async function digestOf(value: JsonObject): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(value))
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Returns the same text for objects that differ only in the order of their members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
