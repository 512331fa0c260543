import type { HostToolResult } from './host-result.ts'
import type { HostTool } from './host-tool.ts'
import { type ApiTools, type ModelCall, type ModelToolsOptions, modelTools } from './model-tools.ts'
import { PDF } from './media.ts'
import { type HostPart, notBlank, textOf, viewable } from './parts.ts'

/** An item of `tools` in Chat Completions. */
export interface OpenAiChatTool {
  type: 'function'
  function: { name: string; description: string; parameters: { [key: string]: unknown } }
}

/** An item of `tools` in the Responses API. */
export interface OpenAiResponsesTool {
  type: 'function'
  name: string
  description: string
  parameters: { [key: string]: unknown }
  /**
   * Always false, because strict mode accepts only a subset of JSON Schema, and servers use more than that.
   */
  strict: false
}

/** A message with the text of a tool's result. */
export interface OpenAiToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** A message with the images from results, because tool messages cannot contain images. */
export interface OpenAiImagesMessage {
  role: 'user'
  content: ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[]
}

/** Content of a `function_call_output`. */
export type OpenAiOutputContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string }

/** The reply to a `function_call`. */
export interface OpenAiCallOutput {
  type: 'function_call_output'
  call_id: string
  output: string | OpenAiOutputContent[]
}

/** Options for both OpenAI APIs. */
export interface OpenAiToolsOptions extends ModelToolsOptions {
  /**
   * The maximum length of a description, in characters. OpenAI has rejected longer descriptions. @default 1_024
   */
  readonly maxDescription?: number
}

/** Options for Chat Completions API tools. */
export interface OpenAiChatOptions extends OpenAiToolsOptions {
  /**
   * How images are handled: `user-message` sends them after the tool messages, for models that accept images.
   * @default 'omit'
   */
  readonly images?: 'omit' | 'user-message'
}

/**
 * Tools for the Chat Completions API. `run` receives the `tool_calls` from the model's message, and returns
 * messages.
 */
export type OpenAiChatTools = ApiTools<
  OpenAiChatTool,
  readonly object[] | undefined,
  OpenAiToolMessage | OpenAiImagesMessage
>

/**
 * Tools for the Responses API. `run` receives the `output` of a response, and returns items for the next input.
 */
export type OpenAiResponsesTools = ApiTools<OpenAiResponsesTool, readonly object[], OpenAiCallOutput>

const MAX_DESCRIPTION = 1_024
const MAX_FILE_NAME = 255
const DIALECT = { complete: true } as const

/**
 * Converts tools for OpenAI's Chat Completions API and compatible APIs. Schemas are changed only where the API
 * would reject them.
 *
 * @throws TypeError for duplicate tools
 */
export async function openAiChatTools(
  tools: readonly HostTool[],
  { maxDescription = MAX_DESCRIPTION, images = 'omit' }: OpenAiChatOptions = {},
): Promise<OpenAiChatTools> {
  const known = await modelTools(tools, DIALECT, { maxDescription })
  return {
    tools: known.all.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: { ...schema } },
    })),
    tool: (name) => known.tool(name),
    async run(toolCalls = [], how) {
      const results = await known.run(toolCalls.flatMap(chatCall), (id, result) => ({ id, result }), how)
      const answers = results.map(({ id, result }) => openAiToolMessage(id, result))
      return images === 'omit' ? answers : [...answers, ...imagesOf(results)]
    },
  }
}

/**
 * Converts tools for the Responses API. Schemas are changed only where the API would reject them.
 * @throws TypeError for duplicate tools
 */
export async function openAiResponsesTools(
  tools: readonly HostTool[],
  { maxDescription = MAX_DESCRIPTION }: OpenAiToolsOptions = {},
): Promise<OpenAiResponsesTools> {
  const known = await modelTools(tools, DIALECT, { maxDescription })
  return {
    tools: known.all.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      parameters: { ...schema },
      strict: false,
    })),
    tool: (name) => known.tool(name),
    run: (output, how) => known.run(output.flatMap(functionCall), openAiCallOutput, how),
  }
}

interface OpenAiFunction {
  readonly name: string
  readonly arguments: string
}

/** Reads a call. Some compatible APIs omit its type. */
function chatCall(call: object): readonly ModelCall[] {
  if (!('function' in call)) return []
  const {
    id,
    function: { name, arguments: input },
  } = call as { id: string; function: OpenAiFunction }
  return [{ id, name, input }]
}

function functionCall(item: object): readonly ModelCall[] {
  if (!('type' in item) || item.type !== 'function_call') return []
  const { call_id: id, name, arguments: input } = item as unknown as OpenAiFunction & { call_id: string }
  return [{ id, name, input }]
}

/** Converts a result to a tool message. It can contain only text. */
export function openAiToolMessage(toolCallId: string, result: HostToolResult): OpenAiToolMessage {
  return { role: 'tool', tool_call_id: toolCallId, content: saying(result) }
}

/** Converts a result to a function output, with images and PDF documents. */
export function openAiCallOutput(callId: string, result: HostToolResult): OpenAiCallOutput {
  const content = result.parts.map(contentOf)
  const plain = result.isError || content.every(({ type }) => type === 'input_text')
  return { type: 'function_call_output', call_id: callId, output: plain ? saying(result) : content }
}

/**
 * Returns a result's text. The text states whether the call failed, because the API has no flag for failures.
 */
function saying({ text, isError }: HostToolResult): string {
  return isError ? `The tool failed: ${notBlank(text)}` : notBlank(text)
}

function contentOf(part: HostPart): OpenAiOutputContent {
  const media = viewable(part)
  if (media === undefined) return { type: 'input_text', text: textOf(part) }
  return media.mimeType === PDF
    ? { type: 'input_file', filename: fileName(media.uri), file_data: dataUrl(media) }
    : { type: 'input_image', image_url: dataUrl(media), detail: 'auto' }
}

const dataUrl = ({ data, mimeType }: { readonly data: string; readonly mimeType: string }): string =>
  `data:${mimeType};base64,${data}`

/** Returns the file name in a URI. No regular expression is used, because the URI may have any length. */
function fileName(uri = ''): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1)
  const isName = name.length > '.pdf'.length && name.length <= MAX_FILE_NAME
  return isName && name.toLowerCase().endsWith('.pdf') ? name : 'document.pdf'
}

interface Answered {
  readonly id: string
  readonly result: HostToolResult
}

function imagesOf(results: readonly Answered[]): readonly OpenAiImagesMessage[] {
  const content = results.flatMap(({ id, result }): OpenAiImagesMessage['content'] => {
    const images = result.parts
      .flatMap((part) => viewable(part) ?? [])
      .filter(({ mimeType }) => mimeType !== PDF)
    if (images.length === 0) return []
    return [
      { type: 'text', text: `Of the result of the call ${id}:` },
      ...images.map((image) => ({ type: 'image_url' as const, image_url: { url: dataUrl(image) } })),
    ]
  })
  return content.length === 0 ? [] : [{ role: 'user', content }]
}
