import type { JsonObject } from '@jetway/core/protocol'
import type { HostToolResult } from './host-result.ts'
import type { HostTool } from './host-tool.ts'
import { isBlank, type ModelToolsOptions, modelTools, NO_OUTPUT, type RunOptions } from './model-tools.ts'
import { bytesOf, type HostPart, textOf } from './parts.ts'

/** An entry of `tools` of the Messages API. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: JsonObject & { type: 'object' }
}

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'

/** What a `tool_result` may hold of what tools give. */
export type AnthropicResultContent =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } }

/** The block of a user's message that answers a `tool_use`. */
export interface AnthropicToolResult {
  type: 'tool_result'
  tool_use_id: string
  content: AnthropicResultContent[]
  is_error?: true
}

/** Tools for the Messages API. */
export interface AnthropicTools {
  /** For the request. */
  readonly tools: AnthropicTool[]
  /** The tool that the model knows by a name. */
  readonly tool: (name: string) => HostTool | undefined
  /**
   * Runs the calls of a message of the model's, one after the other unless their tools may run side by side.
   *
   * @param content - of the message; what is no `tool_use` is passed over, as are server tools
   * @returns the content of the user's message that answers: one block for each call; none where there was no call
   * @throws the reason of the signal
   */
  readonly run: (content: readonly object[], options?: RunOptions) => Promise<AnthropicToolResult[]>
}

/** Of arguments, at the top: one that does not fit fails the whole request. */
const KEYS = /^[a-zA-Z0-9_.-]{1,64}$/

/**
 * Tools for Anthropic's Messages API. Schemas go there as they are, unless they have at the top what is refused there.
 *
 * @throws TypeError where two of the tools are the same one
 */
export async function anthropicTools(
  tools: readonly HostTool[],
  options: ModelToolsOptions = {},
): Promise<AnthropicTools> {
  const known = await modelTools(tools, { keys: KEYS }, options)
  return {
    tools: known.all.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    tool: (name) => known.tool(name),
    async run(content, how) {
      const calls = content.filter(isToolUse)
      const results = await known.run(calls, how)
      return calls.map(({ id }, i) => anthropicResult(id, results[i] as HostToolResult))
    },
  }
}

interface ToolUse {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

const isToolUse = (block: object): block is ToolUse => 'type' in block && block.type === 'tool_use'

/** A result as a `tool_result`, with its pictures and PDF documents. One that is an error may have text alone. */
export function anthropicResult(
  toolUseId: string,
  { parts, text, isError }: HostToolResult,
): AnthropicToolResult {
  const content = isError ? [textBlock(text)] : parts.map(contentOf)
  const said = content.filter((each) => each.type !== 'text' || !isBlank(each.text))
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: said.length === 0 ? [textBlock(NO_OUTPUT)] : said,
    ...(isError && { is_error: true }),
  }
}

const textBlock = (text: string): AnthropicResultContent => ({ type: 'text', text })

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

function contentOf(part: HostPart): AnthropicResultContent {
  const { data, mimeType } = bytesOf(part) ?? {}
  if (data !== undefined && mimeType !== undefined && IMAGES.has(mimeType))
    return { type: 'image', source: { type: 'base64', media_type: mimeType as ImageType, data } }
  if (data !== undefined && mimeType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: mimeType, data } }
  return textBlock(textOf(part))
}
