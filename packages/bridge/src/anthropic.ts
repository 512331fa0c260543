import type { JsonObject } from '@jetway/core/protocol'
import type { HostToolResult } from './host-result.ts'
import type { HostTool } from './host-tool.ts'
import { type ApiTools, type ModelCall, type ModelToolsOptions, modelTools } from './model-tools.ts'
import { PDF } from './media.ts'
import { type HostPart, isBlank, notBlank, textOf, viewable } from './parts.ts'

/** An item of `tools` in the Messages API. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: JsonObject & { type: 'object' }
}

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'

/** Content of a `tool_result`. */
export type AnthropicResultContent =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } }

/** The reply to a `tool_use`. */
export interface AnthropicToolResult {
  type: 'tool_result'
  tool_use_id: string
  content: AnthropicResultContent[]
  is_error?: true
}

/**
 * Tools for Anthropic's Messages API. `run` receives the content of the model's message, and returns the
 * content of the next user message.
 */
export type AnthropicTools = ApiTools<AnthropicTool, readonly object[], AnthropicToolResult>

/** The allowed names of arguments. Any other name causes the whole request to fail. */
const KEYS = /^[a-zA-Z0-9_.-]{1,64}$/

/**
 * Converts tools. Schemas are changed only where the API would reject them. @throws TypeError for duplicate
 * tools
 */
export async function anthropicTools(
  tools: readonly HostTool[],
  options: ModelToolsOptions = {},
): Promise<AnthropicTools> {
  const known = await modelTools(tools, { keys: KEYS }, options)
  return {
    tools: known.all.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    tool: (name) => known.tool(name),
    run: (content, how) => known.run(content.filter(isToolUse), anthropicResult, how),
  }
}

const isToolUse = (block: object): block is ModelCall => 'type' in block && block.type === 'tool_use'

/** Converts a result to a `tool_result`, with images and PDF documents. An error may contain only text. */
export function anthropicResult(
  toolUseId: string,
  { parts, text, isError }: HostToolResult,
): AnthropicToolResult {
  const content = isError ? [textBlock(text)] : parts.map(contentOf)
  const said = content.filter((each) => each.type !== 'text' || !isBlank(each.text))
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: said.length === 0 ? [textBlock(notBlank(''))] : said,
    ...(isError && { is_error: true }),
  }
}

const textBlock = (text: string): AnthropicResultContent => ({ type: 'text', text })

function contentOf(part: HostPart): AnthropicResultContent {
  const media = viewable(part)
  if (media === undefined) return textBlock(textOf(part))
  const { data, mimeType } = media
  return mimeType === PDF
    ? { type: 'document', source: { type: 'base64', media_type: mimeType, data } }
    : { type: 'image', source: { type: 'base64', media_type: mimeType as ImageType, data } }
}
