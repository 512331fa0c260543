import { openAiToolMessage, type OpenAiChatTools, openAiChatTools } from '@jetway/bridge'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { type Endpoint, requestValues } from './endpoint.ts'
import {
  type CompletionRequest,
  type Message,
  type Model,
  ModelError,
  type Reply,
  type UserPart,
} from './model.ts'
import { argumentsOf, failedResult, ReplyBuilder } from './reply-builder.ts'

/**
 * A model that is accessed through the chat completions API, which most model servers implement.
 *
 * @param limit - the field for the token limit. OpenAI's newest models refuse `max_tokens`, and other servers
 * do not support `max_completion_tokens`
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function openai(
  endpoint: Endpoint,
  name: string,
  limit: 'max_tokens' | 'max_completion_tokens',
): Model {
  return {
    name,
    toMessage: (role, parts) =>
      role === 'user'
        ? { role, content: parts.map(toPart) }
        : { role, content: parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') },
    async complete(request: CompletionRequest): Promise<Reply> {
      const known = await openAiChatTools(request.tools)
      const builder = new ReplyBuilder(request.onText)
      const body = {
        ...bodyOf(name, request, known),
        ...(request.maxTokens !== undefined && { [limit]: request.maxTokens }),
      }
      for await (const { value, whole } of requestValues(endpoint, body, request.signal))
        readChoice(value, whole ? 'message' : 'delta', builder)
      return toReply(builder, known)
    },
  }
}

const bodyOf = (model: string, request: CompletionRequest, { tools }: OpenAiChatTools): JsonObject => ({
  model,
  stream: true,
  ...(request.temperature !== undefined && { temperature: request.temperature }),
  ...(request.stopSequences !== undefined && { stop: request.stopSequences }),
  ...(tools.length > 0 && { tools }),
  messages: [
    ...(request.system === undefined ? [] : [{ role: 'system', content: request.system }]),
    ...request.messages,
  ],
})

const toPart = (part: UserPart): JsonObject =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } }

function toReply(builder: ReplyBuilder, known: OpenAiChatTools): Reply {
  const { text, calls, stopReason } = builder
  const call = (id: string, name: string, json: string): JsonObject => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  })
  const toolCalls = calls.map((each) => call(each.id, each.name, JSON.stringify(argumentsOf(each))))
  const asWritten = calls.map(({ id, name, json }) => call(id, name, json))
  const message: Message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  }
  return {
    text,
    stopReason,
    callCount: calls.length,
    message: text === '' && calls.length === 0 ? undefined : message,
    callTools: async (signal) =>
      (await known.run(asWritten, { signal })).map((each): Message => ({ ...each })),
    refuseCalls: (reason) =>
      calls.map(({ id }): Message => ({ ...openAiToolMessage(id, failedResult(reason)) })),
  }
}

function readChoice(
  { choices, error }: JsonObject,
  member: 'message' | 'delta',
  builder: ReplyBuilder,
): void {
  if (isObject(error)) throw new ModelError(`The model failed: ${String(error['message'])}`)
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (!isObject(choice)) {
    // The last chunk of a stream contains only the token usage, without choices.
    if (member === 'delta') return
    throw new ModelError("The model's reply has no choices")
  }
  const message = choice[member]
  if (isObject(message)) {
    builder.addText(message['content'])
    readCalls(message['tool_calls'], builder)
  }
  if (choice['finish_reason'] === 'length') builder.stopReason = 'length'
}

function readCalls(calls: unknown, builder: ReplyBuilder): void {
  if (!Array.isArray(calls)) return
  for (const [at, call] of calls.filter(isObject).entries()) {
    const { index = at, id, function: called } = call
    const { name, arguments: json } = isObject(called) ? called : {}
    builder.addCall(typeof index === 'number' ? index : at, { id, name, json })
  }
}
