import { anthropicResult, type AnthropicTools, anthropicTools } from '@jetway/client/bridge'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { Answer, argumentsOf, refused } from './answer.ts'
import { type Endpoint, values } from './endpoint.ts'
import { type Message, type Model, ModelError, type Reply, type Turn, type UserPart } from './model.ts'

/** The API wants a limit; most models may say more. */
const MAX_TOKENS = 8_192

/** @see https://docs.anthropic.com/en/api/messages */
export function anthropic(endpoint: Endpoint, name: string): Model {
  return {
    name,
    says: (role, parts) => ({ role, content: parts.map(toBlock) }),
    async turn(turn: Turn): Promise<Reply> {
      const known = await anthropicTools(turn.tools)
      const answer = new Answer(turn.onText)
      for await (const { value, whole } of values(endpoint, requestOf(name, turn, known), turn.signal))
        if (whole) readMessage(value, answer)
        else readEvent(value, answer)
      return toReply(answer, known)
    },
  }
}

const requestOf = (model: string, turn: Turn, { tools }: AnthropicTools): JsonObject => ({
  model,
  max_tokens: turn.maxTokens ?? MAX_TOKENS,
  stream: true,
  ...(turn.system !== undefined && { system: turn.system }),
  ...(turn.temperature !== undefined && { temperature: turn.temperature }),
  ...(turn.stopSequences !== undefined && { stop_sequences: turn.stopSequences }),
  ...(tools.length > 0 && { tools }),
  messages: turn.messages,
})

const toBlock = (part: UserPart): JsonObject =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } }

function toReply(answer: Answer, known: AnthropicTools): Reply {
  const { text, calls, stopped } = answer
  const content = [
    ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
    ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: argumentsOf(call) })),
  ]
  const asWritten = calls.map(({ id, name, json }) => ({ type: 'tool_use', id, name, input: json }))
  const answering = (results: readonly object[]): readonly Message[] => [{ role: 'user', content: results }]
  return {
    text,
    stopped,
    calls: calls.length,
    message: content.length === 0 ? undefined : { role: 'assistant', content },
    run: async (signal) => answering(await known.run(asWritten, { signal })),
    refuse: (reason) => answering(calls.map(({ id }) => anthropicResult(id, refused(reason)))),
  }
}

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
function readEvent(event: JsonObject, answer: Answer): void {
  const { type, index, content_block: block, delta, error } = event
  const at = typeof index === 'number' ? index : 0
  if (type === 'error') throw new ModelError(`The model failed: ${messageOf(error)}`)
  if (type === 'content_block_start' && isObject(block)) {
    if (block['type'] === 'tool_use') answer.addCall(at, { id: block['id'], name: block['name'] })
    else if (block['type'] === 'text') answer.addText(block['text'])
  } else if (type === 'content_block_delta' && isObject(delta)) {
    if (delta['type'] === 'text_delta') answer.addText(delta['text'])
    else if (delta['type'] === 'input_json_delta') answer.addCall(at, { json: delta['partial_json'] })
  } else if (type === 'message_delta' && isObject(delta)) readStop(delta['stop_reason'], answer)
}

/** Of an endpoint that does not stream. */
function readMessage({ content, stop_reason: reason }: JsonObject, answer: Answer): void {
  if (!Array.isArray(content)) throw new ModelError('The model answered without content')
  for (const [at, block] of content.filter(isObject).entries()) {
    if (block['type'] === 'text') answer.addText(block['text'])
    else if (block['type'] === 'tool_use')
      answer.addCall(at, { id: block['id'], name: block['name'], json: JSON.stringify(block['input'] ?? {}) })
  }
  readStop(reason, answer)
}

function readStop(reason: unknown, answer: Answer): void {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') answer.stopped = 'length'
}

const messageOf = (error: unknown): string =>
  isObject(error) && typeof error['message'] === 'string' ? error['message'] : 'it does not say why'
