import {
  type CallToolResult,
  type CompleteResult,
  type GetPromptResult,
  isObject,
  type JsonObject,
  Method,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
  type Tool,
} from '@jetway/core/protocol'
import { invalidAnswer } from '../errors.ts'

/** How long a result may be kept, and for whom, where the server says so. */
export interface CacheHints {
  readonly ttlMs?: number
  readonly cacheScope?: 'public' | 'private'
}

/** One page of a list. */
export type Page<Item> = CacheHints & {
  readonly items: readonly Item[]
  /** Undefined on the last page. May be any text, the empty one too. */
  readonly nextCursor: string | undefined
  readonly _meta?: JsonObject
}

/** Whether an entry of a list is one at all. What it holds beyond that is passed on as it came. */
type Fits = (entry: JsonObject) => boolean

export interface ListKindOf<Item> {
  readonly method: string
  readonly member: string
  readonly capability: 'tools' | 'prompts' | 'resources'
  readonly fits: Fits
  /** Only the compiler sees it. */
  readonly item?: Item
}

const named: Fits = ({ name }) => typeof name === 'string'

export const LISTS: {
  readonly tools: ListKindOf<Tool>
  readonly prompts: ListKindOf<Prompt>
  readonly resources: ListKindOf<Resource>
  readonly templates: ListKindOf<ResourceTemplate>
} = {
  tools: {
    method: Method.ListTools,
    member: 'tools',
    capability: 'tools',
    fits: (tool) => named(tool) && isObject(tool['inputSchema']),
  },
  prompts: {
    method: Method.ListPrompts,
    member: 'prompts',
    capability: 'prompts',
    fits: (prompt) =>
      named(prompt) && (prompt['arguments'] === undefined || Array.isArray(prompt['arguments'])),
  },
  resources: {
    method: Method.ListResources,
    member: 'resources',
    capability: 'resources',
    fits: ({ uri }) => typeof uri === 'string',
  },
  templates: {
    method: Method.ListResourceTemplates,
    member: 'resourceTemplates',
    capability: 'resources',
    fits: ({ uriTemplate }) => typeof uriTemplate === 'string',
  },
}

/** A page without the entries that are none; `left` says how many those were. */
export function readPage<Item>(
  kind: ListKindOf<Item>,
  result: JsonObject,
): { readonly page: Page<Item>; readonly left: number } {
  const { [kind.member]: entries, nextCursor, _meta } = result
  if (!Array.isArray(entries)) throw invalidAnswer(kind.method, `it has no list "${kind.member}"`)
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string')
    throw invalidAnswer(kind.method, 'its nextCursor is no text')
  const items = entries.filter((entry) => isObject(entry) && kind.fits(entry)) as Item[]
  return {
    left: entries.length - items.length,
    page: {
      items,
      nextCursor: nextCursor ?? undefined,
      ...readHints(result),
      ...(isObject(_meta) && { _meta }),
    },
  }
}

/** What is below zero is stale at once: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching */
function readHints({ ttlMs, cacheScope }: JsonObject): CacheHints {
  return {
    ...(typeof ttlMs === 'number' && { ttlMs: Math.max(0, ttlMs) }),
    ...((cacheScope === 'public' || cacheScope === 'private') && { cacheScope }),
  }
}

export function readToolResult(result: JsonObject): CallToolResult {
  // One that has a structured value alone is not what the protocol says, and still says something.
  const { content = 'structuredContent' in result ? [] : undefined } = result
  if (!Array.isArray(content) || !content.every(isBlock))
    throw invalidAnswer(Method.CallTool, 'its content is no list of blocks')
  return { ...result, content }
}

export function readResource(result: JsonObject): ReadResourceResult & CacheHints {
  const { contents } = result
  if (
    Array.isArray(contents) &&
    contents.every((each) => isObject(each) && typeof each['uri'] === 'string')
  ) {
    const { ttlMs, cacheScope, ...rest } = result
    return { ...(rest as unknown as ReadResourceResult), ...readHints({ ttlMs, cacheScope }) }
  }
  throw invalidAnswer(Method.ReadResource, 'its contents are no list of contents with a uri')
}

export function readPrompt(result: JsonObject): GetPromptResult {
  const { messages } = result
  const isMessage = (each: unknown): boolean =>
    isObject(each) && typeof each['role'] === 'string' && isBlock(each['content'])
  if (Array.isArray(messages) && messages.every(isMessage)) return result as unknown as GetPromptResult
  throw invalidAnswer(Method.GetPrompt, 'its messages are no list of messages')
}

export function readCompletion(result: JsonObject): CompleteResult['completion'] {
  const { completion } = result
  if (!isObject(completion)) throw invalidAnswer(Method.Complete, 'it has no completion')
  const { values, total, hasMore } = completion
  if (Array.isArray(values) && values.every((value) => typeof value === 'string'))
    return {
      values,
      ...(typeof total === 'number' && { total }),
      ...(typeof hasMore === 'boolean' && { hasMore }),
    }
  throw invalidAnswer(Method.Complete, 'it has no values')
}

/** Of any kind: hosts meet newer ones than they know. */
const isBlock = (block: unknown): boolean => isObject(block) && typeof block['type'] === 'string'

/** A result of a type that nobody knows is none: https://modelcontextprotocol.io/specification/2026-07-28/basic#result-types */
export function checkType(method: string, result: JsonObject, also?: string): JsonObject {
  const { resultType = 'complete' } = result
  if (resultType === 'complete' || (also !== undefined && resultType === also)) return result
  throw invalidAnswer(method, `its resultType is ${JSON.stringify(resultType)?.slice(0, 64)}`)
}
