import type { CallToolResult, JsonObject } from '@jetway/core/protocol'
import { bytesOf, type HostPart, partOf, textOf, whole } from './parts.ts'

/** The result of a call. */
export interface HostToolResult {
  /** The whole result as text. Images, audio and links are described in brackets. */
  readonly text: string
  readonly parts: readonly HostPart[]
  /** The result's `structuredContent`. */
  readonly structured: unknown
  /** Whether the tool failed or could not be called. `text` contains the reason. */
  readonly isError: boolean
  /** The `McpError` or `ClientError`, if the tool could not be called. */
  readonly error?: Error
}

/** Limits for a result. A note replaces omitted content. */
export interface ResultLimits {
  /** The maximum number of characters of text. @default 100_000 */
  readonly maxText?: number
  /** The maximum number of characters of base64. @default 20_971_520 */
  readonly maxData?: number
  /** The maximum number of parts. @default 1_000 */
  readonly maxParts?: number
}

const DEFAULTS = { maxText: 100_000, maxData: 20 * 1024 * 1024, maxParts: 1_000 } as const

const WITHOUT_TEXT: readonly string[] = ['image', 'audio', 'resource_link']

/** Converts a result. If the result has a structured value but no text, the text is the value as JSON. */
export function toHostResult(
  { content, structuredContent, isError }: CallToolResult,
  limits: ResultLimits = {},
): HostToolResult {
  const parts = content.map((block) => partOf(block as unknown as JsonObject))
  const mirrored = structuredContent === undefined || content.some(({ type }) => !WITHOUT_TEXT.includes(type))
  if (!mirrored) parts.push({ type: 'text', text: JSON.stringify(structuredContent) })
  const bounded = boundedParts(parts, limits)
  return {
    text: bounded.map(textOf).join('\n'),
    parts: bounded,
    structured: structuredContent,
    isError: isError === true,
  }
}

export function failedResult(error: Error, limits: ResultLimits = {}): HostToolResult {
  return {
    ...toHostResult({ content: [{ type: 'text', text: error.message }] }, limits),
    isError: true,
    error,
  }
}

function boundedParts(parts: readonly HostPart[], limits: ResultLimits): readonly HostPart[] {
  const { maxText = DEFAULTS.maxText, maxData = DEFAULTS.maxData, maxParts = DEFAULTS.maxParts } = limits
  const left = { text: maxText, data: maxData }
  let cut = 0
  const kept = parts.slice(0, maxParts).flatMap((part): HostPart[] => {
    const bytes = bytesOf(part)
    if (bytes !== undefined && bytes.data.length > left.data)
      return [{ type: 'text', text: `${textOf(part).slice(0, -1)}, left out: too large]` }]
    if (bytes !== undefined) left.data -= bytes.data.length
    const text = bytes === undefined ? textOf(part) : ''
    if (text.length <= left.text) {
      left.text -= text.length
      return [part]
    }
    const start = whole(text, left.text)
    cut += text.length - start.length
    left.text = 0
    return start === '' ? [] : [{ type: 'text', text: start }]
  })
  const notes = [
    ...(cut > 0 ? [`${cut} more characters`] : []),
    ...(parts.length > maxParts ? [`${parts.length - maxParts} more parts`] : []),
  ]
  if (notes.length > 0) kept.push({ type: 'text', text: `[left out: ${notes.join(', ')}]` })
  return kept
}
