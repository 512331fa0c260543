import { BRAND, type Complete, type HandlerResult, isRelayed, type Relayed } from '@jetway/core/compose'
import {
  type CallToolResult,
  type GetPromptResult,
  isObject,
  type ReadResourceResult,
} from '@jetway/core/protocol'

/** The list of each kind of result. */
const LISTS = ['content', 'contents', 'messages'] as const

/**
 * Sends a whole result from another server, for a handler to return: the result of `tools/call`,
 * `resources/read` or `prompts/get` as it arrived, with unknown blocks and `_meta`. It is adapted to the client's
 * revision, but not validated. Data that only looks like a result is never relayed.
 *
 * @throws TypeError unless the value has a list of blocks, contents or messages
 */
export function relay(result: CallToolResult | ReadResourceResult | GetPromptResult): Relayed {
  const given: unknown = result
  const list = isObject(given) ? LISTS.find((name) => Array.isArray(given[name])) : undefined
  if (!isObject(given) || list === undefined)
    throw new TypeError('relay needs a result with content, contents or messages')
  const items = given[list] as readonly unknown[]
  const isWhole =
    list === 'messages' ? (item: unknown) => isObject(item) && isObject(item['content']) : isObject
  if (!items.every(isWhole))
    throw new TypeError(`relay was given a result with an item of its ${list} that is no object`)
  if (given['_meta'] !== undefined && !isObject(given['_meta']))
    throw new TypeError('relay was given a result whose _meta is no object')
  // These members belong to the response that carried the result. The response to this client has its own.
  const { resultType: _type, ttlMs, cacheScope, ...rest } = given
  const isHint = Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0
  const hints = {
    ttlMs: isHint ? (ttlMs as number) : 0,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  } as const
  return relayed({ kind: 'complete', result: rest, ...(list === 'contents' && { hints }) })
}

/** Marks a result so that core sends it as it is. */
export const relayed = (result: HandlerResult): Relayed => ({ result, [BRAND]: 'relayed' })

/** Returns the finished result that a handler relays; undefined for other values. */
export const completeOf = (value: unknown): Complete | undefined =>
  isRelayed(value) && value.result.kind === 'complete' ? value.result : undefined
