import {
  type CallToolResult,
  type CompleteResult,
  type GetPromptResult,
  isObject,
  type JsonObject,
  Method,
  type ReadResourceResult,
} from '@jetway/core/protocol'
import { invalidResponse } from '../errors.ts'
import { isFiniteNumber } from '../util/numbers.ts'

/** How long, and for which users, the server allows a result to be cached. */
export interface CacheHints {
  readonly ttlMs?: number
  readonly cacheScope?: 'public' | 'private'
}

/** https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching */
export function readHints({ ttlMs, cacheScope }: JsonObject): CacheHints {
  return {
    ...(isFiniteNumber(ttlMs) && { ttlMs: Math.max(0, ttlMs) }),
    ...((cacheScope === 'public' || cacheScope === 'private') && { cacheScope }),
  }
}

export function readToolResult(result: JsonObject): CallToolResult {
  const content = contentOf(result)
  if (!Array.isArray(content) || !content.every(isBlock))
    throw invalidResponse(Method.CallTool, 'its content is not a list of content blocks')
  return { ...result, content }
}

/**
 * Returns the content of a result. Some servers omit `content`, or send `toolResult` as in revisions before
 * 2024-11-05.
 */
function contentOf({ content, toolResult }: JsonObject): unknown {
  if (toolResult === undefined || toolResult === null || (Array.isArray(content) && content.length > 0))
    return content ?? []
  return [{ type: 'text', text: typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult) }]
}

export function readResource(result: JsonObject): ReadResourceResult & CacheHints {
  const { contents, ttlMs, cacheScope, ...rest } = result
  const isContents = (each: unknown): boolean => isObject(each) && typeof each['uri'] === 'string'
  if (!Array.isArray(contents) || !contents.every(isContents))
    throw invalidResponse(Method.ReadResource, 'its contents are not a list of contents with a uri')
  return { ...rest, contents, ...readHints({ ttlMs, cacheScope }) }
}

export function readPrompt(result: JsonObject): GetPromptResult {
  const { messages } = result
  const isMessage = (each: unknown): boolean =>
    isObject(each) && typeof each['role'] === 'string' && isBlock(each['content'])
  if (Array.isArray(messages) && messages.every(isMessage)) return result as unknown as GetPromptResult
  throw invalidResponse(Method.GetPrompt, 'its messages are not a list of messages')
}

export function readCompletion({ completion }: JsonObject): CompleteResult['completion'] {
  const { values, total, hasMore } = isObject(completion) ? completion : {}
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw invalidResponse(Method.Complete, 'its completion has no list of values')
  return {
    values,
    ...(isFiniteNumber(total) && { total }),
    ...(typeof hasMore === 'boolean' && { hasMore }),
  }
}

/**
 * Returns whether a value is a content block. Blocks of any type are accepted, because hosts may receive
 * blocks from newer revisions.
 */
const isBlock = (block: unknown): boolean => isObject(block) && typeof block['type'] === 'string'

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#result-types */
export function checkType(method: string, result: JsonObject, also?: string): JsonObject {
  const { resultType = 'complete' } = result
  if (resultType === 'complete' || (also !== undefined && resultType === also)) return result
  throw invalidResponse(method, `its resultType is ${JSON.stringify(resultType)?.slice(0, 64)}`)
}
