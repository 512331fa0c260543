import { openAiToolMessage, type OpenAiChatTools, openAiChatTools } from '@jetway/client/bridge'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { Answer, argumentsOf, refused } from './answer.ts'
import { type Endpoint, values } from './endpoint.ts'
import { type Message, type Model, ModelError, type Reply, type Turn, type UserPart } from './model.ts'

/**
 * Chat completions, the API that most servers of models speak.
 *
 * @param limit what the field for the number of tokens is called: OpenAI's newest models refuse the older name, and
 *   others do not know the newer one
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function openai(
  endpoint: Endpoint,
  name: string,
  limit: 'max_tokens' | 'max_completion_tokens',
): Model {
  return {
    name,
    says: (role, parts) =>
      role === 'user'
        ? { role, content: parts.map(toPart) }
        : { role, content: parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') },
    async turn(turn: Turn): Promise<Reply> {
      const known = await openAiChatTools(turn.tools)
      const answer = new Answer(turn.onText)
      const request = {
        ...requestOf(name, turn, known),
        ...(turn.maxTokens !== undefined && { [limit]: turn.maxTokens }),
      }
      for await (const { value, whole } of values(endpoint, request, turn.signal))
        readChoice(value, whole ? 'message' : 'delta', answer)
      return toReply(answer, known)
    },
  }
}

const requestOf = (model: string, turn: Turn, { tools }: OpenAiChatTools): JsonObject => ({
  model,
  stream: true,
  ...(turn.temperature !== undefined && { temperature: turn.temperature }),
  ...(turn.stopSequences !== undefined && { stop: turn.stopSequences }),
  ...(tools.length > 0 && { tools }),
  messages: [
    ...(turn.system === undefined ? [] : [{ role: 'system', content: turn.system }]),
    ...turn.messages,
  ],
})

const toPart = (part: UserPart): JsonObject =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } }

function toReply(answer: Answer, known: OpenAiChatTools): Reply {
  const { text, calls, stopped } = answer
  const call = (id: string, name: string, json: string): JsonObject => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  })
  const asked = calls.map((each) => call(each.id, each.name, JSON.stringify(argumentsOf(each))))
  const asWritten = calls.map(({ id, name, json }) => call(id, name, json))
  const message: Message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(asked.length > 0 && { tool_calls: asked }),
  }
  return {
    text,
    stopped,
    calls: calls.length,
    message: text === '' && calls.length === 0 ? undefined : message,
    run: async (signal) => (await known.run(asWritten, { signal })).map((each): Message => ({ ...each })),
    refuse: (reason) => calls.map(({ id }): Message => ({ ...openAiToolMessage(id, refused(reason)) })),
  }
}

function readChoice({ choices, error }: JsonObject, member: 'message' | 'delta', answer: Answer): void {
  if (isObject(error)) throw new ModelError(`The model failed: ${String(error['message'])}`)
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (!isObject(choice)) {
    // The last piece of a stream has the number of tokens alone.
    if (member === 'delta') return
    throw new ModelError('The model answered without choices')
  }
  const said = choice[member]
  if (isObject(said)) {
    answer.addText(said['content'])
    readCalls(said['tool_calls'], answer)
  }
  if (choice['finish_reason'] === 'length') answer.stopped = 'length'
}

function readCalls(calls: unknown, answer: Answer): void {
  if (!Array.isArray(calls)) return
  for (const [at, call] of calls.filter(isObject).entries()) {
    const { index = at, id, function: called } = call
    const { name, arguments: json } = isObject(called) ? called : {}
    answer.addCall(typeof index === 'number' ? index : at, { id, name, json })
  }
}
