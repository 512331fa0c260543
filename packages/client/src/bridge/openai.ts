import type { HostToolResult } from './host-result.ts'
import type { HostTool } from './host-tool.ts'
import { isBlank, type ModelToolsOptions, modelTools, NO_OUTPUT, type RunOptions } from './model-tools.ts'
import { bytesOf, type HostPart, textOf } from './parts.ts'

/** An entry of `tools` of Chat Completions. */
export interface OpenAiChatTool {
  type: 'function'
  function: { name: string; description: string; parameters: { [key: string]: unknown } }
}

/** An entry of `tools` of the Responses API. */
export interface OpenAiResponsesTool {
  type: 'function'
  name: string
  description: string
  parameters: { [key: string]: unknown }
  /** Strict schemas are a dialect of their own, which servers do not write. */
  strict: false
}

/** The message that answers a call. */
export interface OpenAiToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** A message with the pictures of results, which answers to calls cannot hold. */
export interface OpenAiImagesMessage {
  role: 'user'
  content: ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[]
}

/** What a `function_call_output` may hold of what tools give. */
export type OpenAiOutputContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string }

/** The item that answers a `function_call`. */
export interface OpenAiCallOutput {
  type: 'function_call_output'
  call_id: string
  output: string | OpenAiOutputContent[]
}

/** Options of the tools for either interface of OpenAI. */
export interface OpenAiToolsOptions extends ModelToolsOptions {
  /**
   * Characters that a description may have. Models of OpenAI have refused whole requests for one longer description.
   * @default 1_024
   */
  readonly maxDescription?: number
}

/** Options of {@link openAiChatTools}. */
export interface OpenAiChatOptions extends OpenAiToolsOptions {
  /**
   * Where pictures go: `user-message` sends them in one message after the answers, for models that see; `omit` only tells
   * the model that there is one.
   * @default 'omit'
   */
  readonly images?: 'omit' | 'user-message'
}

/** Tools for Chat Completions. */
export interface OpenAiChatTools {
  /** For the request. */
  readonly tools: OpenAiChatTool[]
  /** The tool that the model knows by a name. */
  readonly tool: (name: string) => HostTool | undefined
  /**
   * Runs the calls of a message of the model's, one after the other unless their tools may run side by side.
   *
   * @param toolCalls - of the message; calls of other tools than functions are passed over
   * @returns the messages that answer: one for each call
   * @throws the reason of the signal
   */
  readonly run: (
    toolCalls: readonly object[] | undefined,
    options?: RunOptions,
  ) => Promise<(OpenAiToolMessage | OpenAiImagesMessage)[]>
}

/** Tools for the Responses API. */
export interface OpenAiResponsesTools {
  /** For the request. */
  readonly tools: OpenAiResponsesTool[]
  /** The tool that the model knows by a name. */
  readonly tool: (name: string) => HostTool | undefined
  /**
   * Runs the calls of a response, one after the other unless their tools may run side by side.
   *
   * @param output - of the response; what is no `function_call` is passed over
   * @returns the items that answer: one for each call
   * @throws the reason of the signal
   */
  readonly run: (output: readonly object[], options?: RunOptions) => Promise<OpenAiCallOutput[]>
}

const MAX_DESCRIPTION = 1_024
/** What file systems take, in characters. */
const MAX_FILE_NAME = 255
const DIALECT = { complete: true } as const

/**
 * Tools for OpenAI's Chat Completions, and for the many servers that speak it. Schemas go there as they are, unless they
 * have what is refused there.
 *
 * @throws TypeError where two of the tools are the same one
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
 * Tools for OpenAI's Responses API. Schemas go there as they are, unless they have what is refused there.
 *
 * @throws TypeError where two of the tools are the same one
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

// Some of those that speak like OpenAI leave the type out.
const isChatCall = (call: object): call is ChatCall => 'function' in call
const isFunctionCall = (item: object): item is FunctionCall => 'type' in item && item.type === 'function_call'

/** A result as the message of a tool: text, as the interface takes no more. */
export function openAiToolMessage(toolCallId: string, result: HostToolResult): OpenAiToolMessage {
  return { role: 'tool', tool_call_id: toolCallId, content: saying(result) }
}

/** A result as the output of a function, with its pictures and PDF documents. */
export function openAiCallOutput(callId: string, result: HostToolResult): OpenAiCallOutput {
  const content = result.parts.map(contentOf)
  const plain = result.isError || content.every(({ type }) => type === 'input_text')
  return { type: 'function_call_output', call_id: callId, output: plain ? saying(result) : content }
}

/** The interfaces have no other way to say that a call has failed. */
function saying({ text, isError }: HostToolResult): string {
  const said = isBlank(text) ? NO_OUTPUT : text
  return isError ? `The tool has failed: ${said}` : said
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

/** No regular expression: an address comes from a server, and may be as long as that likes. */
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
