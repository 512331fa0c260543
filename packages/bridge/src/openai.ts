import type { HostToolResult } from './host-result.ts'
import type { HostTool } from './host-tool.ts'
import { isBlank, type ModelToolsOptions, modelTools, NO_OUTPUT, type RunOptions } from './model-tools.ts'
import { bytesOf, type HostPart, textOf } from './parts.ts'

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
  /** Strict schemas need a subset of JSON Schema that servers do not use. */
  strict: false
}

/** The message that returns a tool result to the Chat Completions API. */
export interface OpenAiToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** A message with the images of results, which tool messages cannot have. */
export interface OpenAiImagesMessage {
  role: 'user'
  content: ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[]
}

/** Content of a `function_call_output`. */
export type OpenAiOutputContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string }

/** The answer to a `function_call`. */
export interface OpenAiCallOutput {
  type: 'function_call_output'
  call_id: string
  output: string | OpenAiOutputContent[]
}

/** Options for both APIs of OpenAI. */
export interface OpenAiToolsOptions extends ModelToolsOptions {
  /**
   * Longest description in characters. OpenAI has refused requests with longer ones.
   * @default 1_024
   */
  readonly maxDescription?: number
}

/** How tools become tools of the Chat Completions API. */
export interface OpenAiChatOptions extends OpenAiToolsOptions {
  /**
   * `user-message` sends images in a message after the tool messages, for models that can see. `omit` only mentions
   * them.
   * @default 'omit'
   */
  readonly images?: 'omit' | 'user-message'
}

/** Tools for the Chat Completions API, and the function that runs what the model calls. */
export interface OpenAiChatTools {
  /** For the request. */
  readonly tools: OpenAiChatTool[]
  /** Finds a tool by the name that the model uses. */
  readonly tool: (name: string) => HostTool | undefined
  /**
   * Runs the tool calls of a message, in order. Neighbours run concurrently if their tools allow it.
   *
   * @param toolCalls - of the model's message. Other types than functions are ignored
   * @returns one message for each call
   * @throws the reason of the signal
   */
  readonly run: (
    toolCalls: readonly object[] | undefined,
    options?: RunOptions,
  ) => Promise<(OpenAiToolMessage | OpenAiImagesMessage)[]>
}

/** Tools for the Responses API, and the function that runs what the model calls. */
export interface OpenAiResponsesTools {
  /** For the request. */
  readonly tools: OpenAiResponsesTool[]
  /** Finds a tool by the name that the model uses. */
  readonly tool: (name: string) => HostTool | undefined
  /**
   * Runs the function calls of a response, in order. Neighbours run concurrently if their tools allow it.
   *
   * @param output - of the response. Items other than `function_call` are ignored
   * @returns one item for each call
   * @throws the reason of the signal
   */
  readonly run: (output: readonly object[], options?: RunOptions) => Promise<OpenAiCallOutput[]>
}

const MAX_DESCRIPTION = 1_024
const MAX_FILE_NAME = 255
const DIALECT = { complete: true } as const

/**
 * Tools for OpenAI's Chat Completions and compatible APIs. Schemas are changed only where the API would refuse them.
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
    async run(toolCalls = [], how = {}) {
      const calls = toolCalls.filter(isChatCall)
      const results = await known.run(
        calls.map(({ function: { name, arguments: input } }) => ({ name, input })),
        how,
      )
      const answers = calls.map(({ id }, i) => openAiToolMessage(id, results[i] as HostToolResult))
      return images === 'omit' ? answers : [...answers, ...imagesOf(calls, results)]
    },
  }
}

/**
 * Tools for OpenAI's Responses API. Schemas are changed only where the API would refuse them.
 *
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
    async run(output, how) {
      const calls = output.filter(isFunctionCall)
      const results = await known.run(
        calls.map(({ name, arguments: input }) => ({ name, input })),
        how,
      )
      return calls.map(({ call_id }, i) => openAiCallOutput(call_id, results[i] as HostToolResult))
    },
  }
}

interface ChatCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

interface FunctionCall {
  readonly type: 'function_call'
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}

// Some compatible APIs leave out the type.
const isChatCall = (call: object): call is ChatCall => 'function' in call
const isFunctionCall = (item: object): item is FunctionCall => 'type' in item && item.type === 'function_call'

/** A result as a tool message, which has text only. */
export function openAiToolMessage(toolCallId: string, result: HostToolResult): OpenAiToolMessage {
  return { role: 'tool', tool_call_id: toolCallId, content: saying(result) }
}

/** A result as a function's output, with images and PDF documents. */
export function openAiCallOutput(callId: string, result: HostToolResult): OpenAiCallOutput {
  const content = result.parts.map(contentOf)
  const plain = result.isError || content.every(({ type }) => type === 'input_text')
  return { type: 'function_call_output', call_id: callId, output: plain ? saying(result) : content }
}

/** The API has no flag for failed calls. */
function saying({ text, isError }: HostToolResult): string {
  const said = isBlank(text) ? NO_OUTPUT : text
  return isError ? `The tool failed: ${said}` : said
}

function contentOf(part: HostPart): OpenAiOutputContent {
  const bytes = bytesOf(part)
  if (bytes !== undefined && IMAGES.has(bytes.mimeType))
    return { type: 'input_image', image_url: dataUrl(bytes), detail: 'auto' }
  if (bytes?.mimeType === 'application/pdf')
    return { type: 'input_file', filename: fileName(bytes.uri), file_data: dataUrl(bytes) }
  return { type: 'input_text', text: textOf(part) }
}

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

const dataUrl = ({ data, mimeType }: { readonly data: string; readonly mimeType: string }): string =>
  `data:${mimeType};base64,${data}`

/** Not a regular expression: the server may send a URI of any length. */
function fileName(uri = ''): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1)
  const isName = name.length > '.pdf'.length && name.length <= MAX_FILE_NAME
  return isName && name.toLowerCase().endsWith('.pdf') ? name : 'document.pdf'
}

function imagesOf(
  calls: readonly ChatCall[],
  results: readonly HostToolResult[],
): readonly OpenAiImagesMessage[] {
  const content = calls.flatMap(({ id }, i): OpenAiImagesMessage['content'] => {
    const urls = (results[i]?.parts ?? []).flatMap((part) => {
      const bytes = bytesOf(part)
      return bytes !== undefined && IMAGES.has(bytes.mimeType) ? [dataUrl(bytes)] : []
    })
    if (urls.length === 0) return []
    return [
      { type: 'text', text: `Of the result of the call ${id}:` },
      ...urls.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
    ]
  })
  return content.length === 0 ? [] : [{ role: 'user', content }]
}
