import { anthropicResult, type AnthropicTools, anthropicTools } from '@jetway/bridge'
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

/** The API requires this limit. Most models allow more. */
const MAX_TOKENS = 8_192

/** @see https://docs.anthropic.com/en/api/messages */
export function anthropic(endpoint: Endpoint, name: string): Model {
  return {
    name,
    toMessage: (role, parts) => ({ role, content: parts.map(toBlock) }),
    async complete(request: CompletionRequest): Promise<Reply> {
      const known = await anthropicTools(request.tools)
      const builder = new ReplyBuilder(request.onText)
      for await (const { value, whole } of requestValues(
        endpoint,
        bodyOf(name, request, known),
        request.signal,
      ))
        if (whole) readMessage(value, builder)
        else readEvent(value, builder)
      return toReply(builder, known)
    },
  }
}

const bodyOf = (model: string, request: CompletionRequest, { tools }: AnthropicTools): JsonObject => ({
  model,
  max_tokens: request.maxTokens ?? MAX_TOKENS,
  stream: true,
  ...(request.system !== undefined && { system: request.system }),
  ...(request.temperature !== undefined && { temperature: request.temperature }),
  ...(request.stopSequences !== undefined && { stop_sequences: request.stopSequences }),
  ...(tools.length > 0 && { tools }),
  messages: request.messages,
})

const toBlock = (part: UserPart): JsonObject =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } }

function toReply(builder: ReplyBuilder, known: AnthropicTools): Reply {
  const { text, calls, stopReason } = builder
  const content = [
    ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
    ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: argumentsOf(call) })),
  ]
  const asWritten = calls.map(({ id, name, json }) => ({ type: 'tool_use', id, name, input: json }))
  const toMessages = (results: readonly object[]): readonly Message[] => [{ role: 'user', content: results }]
  return {
    text,
    stopReason,
    callCount: calls.length,
    message: content.length === 0 ? undefined : { role: 'assistant', content },
    callTools: async (signal) => toMessages(await known.run(asWritten, { signal })),
    refuseCalls: (reason) => toMessages(calls.map(({ id }) => anthropicResult(id, failedResult(reason)))),
  }
}

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
function readEvent(event: JsonObject, builder: ReplyBuilder): void {
  const { type, index, content_block: block, delta, error } = event
  const at = typeof index === 'number' ? index : 0
  if (type === 'error') throw new ModelError(`The model failed: ${messageOf(error)}`)
  if (type === 'content_block_start' && isObject(block)) {
    if (block['type'] === 'tool_use') builder.addCall(at, { id: block['id'], name: block['name'] })
    else if (block['type'] === 'text') builder.addText(block['text'])
  } else if (type === 'content_block_delta' && isObject(delta)) {
    if (delta['type'] === 'text_delta') builder.addText(delta['text'])
    else if (delta['type'] === 'input_json_delta') builder.addCall(at, { json: delta['partial_json'] })
  } else if (type === 'message_delta' && isObject(delta)) readStopReason(delta['stop_reason'], builder)
}

/** Reads the reply of an endpoint that does not stream. */
function readMessage({ content, stop_reason: reason }: JsonObject, builder: ReplyBuilder): void {
  if (!Array.isArray(content)) throw new ModelError("The model's reply has no content")
  for (const [at, block] of content.filter(isObject).entries()) {
    if (block['type'] === 'text') builder.addText(block['text'])
    else if (block['type'] === 'tool_use')
      builder.addCall(at, {
        id: block['id'],
        name: block['name'],
        json: JSON.stringify(block['input'] ?? {}),
      })
  }
  readStopReason(reason, builder)
}

function readStopReason(reason: unknown, builder: ReplyBuilder): void {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') builder.stopReason = 'length'
}

const messageOf = (error: unknown): string =>
  isObject(error) && typeof error['message'] === 'string' ? error['message'] : 'no reason given'
