import type { ToolResult } from '@jetway/core'
import { BRAND, brandOf, isRelayed } from '@jetway/core/compose'
import { type CallToolResult, type ContentBlock, isObject } from '@jetway/core/protocol'
import { completeOf } from '../relay.ts'

/** Thrown by `next` if the call cannot finish yet, because the tool has questions for the client. */
export class Unfinished extends Error {
  readonly value: unknown

  constructor(value: unknown) {
    super(
      'The tool has questions for the client. Do not catch this error: the handler runs again with the answers',
    )
    this.name = 'Unfinished'
    this.value = value
  }
}

/** Whether a handler returned questions instead of a result. */
export const isUnfinished = (value: unknown): boolean =>
  brandOf(value) === 'input-required' || (isRelayed(value) && completeOf(value) === undefined)

/**
 * Returns the result that core would make of a handler's value.
 *
 * @param isStructured - whether the tool has an `outputSchema`, which the value matches
 */
export function toolResultOf(value: unknown, isStructured: boolean): ToolResult {
  const relayed = completeOf(value)?.result
  if (relayed !== undefined) return fromProtocol(relayed as unknown as CallToolResult)
  const brand = brandOf(value)
  if (brand === 'result') return value as ToolResult
  if (brand === 'content') return create({ content: [value as ContentBlock] })
  if (isObject(value) && Array.isArray(value['content'])) {
    // Without an outputSchema, an object with content is a result. Otherwise it is one if it says so.
    if (!isStructured || value['structuredContent'] !== undefined || value['isError'] === true)
      return fromProtocol(value as unknown as CallToolResult)
  }
  if (isStructured) return create({ structured: value })
  if (value === undefined) return create({ content: [] })
  if (typeof value === 'string') return create({ content: [{ type: 'text', text: value }] })
  if (Array.isArray(value) && value.length > 0 && value.every((item) => brandOf(item) === 'content'))
    return create({ content: value as readonly ContentBlock[] })
  return create({ content: [{ type: 'text', text: JSON.stringify(value) }], structured: value })
}

const fromProtocol = ({ content, structuredContent, isError, _meta }: CallToolResult): ToolResult =>
  create({ content, structured: structuredContent, isError, _meta })

interface Parts {
  readonly content?: readonly ContentBlock[]
  readonly structured?: unknown
  readonly isError?: boolean | undefined
  readonly _meta?: CallToolResult['_meta']
}

const create = ({ content, structured, isError = false, _meta }: Parts): ToolResult => ({
  // Marked as those that `content` makes, so that a handler can return them.
  content: content?.map((block) => ({ ...block, [BRAND]: 'content' })),
  structured,
  isError,
  _meta,
  [BRAND]: 'result',
})
