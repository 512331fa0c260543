import { ErrorCode, isObject, type JsonObject, McpError } from '@jetway/core/protocol'

/**
 * Whether a model can go on from what a server wants sampled.
 *
 * @param offersTools - whether the client has declared that the model may be given tools
 * @throws McpError -32602
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints
 */
export function checkSampleRequest(params: JsonObject, offersTools: boolean): void {
  const { messages, maxTokens } = params
  if (!Array.isArray(messages) || typeof maxTokens !== 'number')
    throw malformed('sampling needs messages and maxTokens')
  if (!offersTools && (params['tools'] !== undefined || params['toolChoice'] !== undefined))
    throw malformed('this client does not sample with tools')
  messages.forEach((message, at) => checkTurn(message, messages[at - 1], messages[at + 1]))
}

/** Every use of a tool has its result in the next message, which holds nothing else. */
function checkTurn(message: unknown, before: unknown, after: unknown): void {
  const blocks = blocksOf(message)
  const uses = idsOf(blocks, 'tool_use', 'id')
  const answered = new Set(idsOf(blocksOf(after), 'tool_result', 'toolUseId'))
  if (uses.length > 0 && (uses.length !== answered.size || !uses.every((id) => answered.has(id))))
    throw malformed('a tool use is without its result in the next message')
  const results = idsOf(blocks, 'tool_result', 'toolUseId')
  if (results.length === 0) return
  if (results.length !== blocks.length) throw malformed('tool results stand with other content')
  if (idsOf(blocksOf(before), 'tool_use', 'id').length === 0)
    throw malformed('a tool result is without its use in the message before')
}

function blocksOf(message: unknown): readonly JsonObject[] {
  const content = isObject(message) ? message['content'] : undefined
  return [content].flat().filter(isObject)
}

const idsOf = (blocks: readonly JsonObject[], type: string, member: string): readonly unknown[] =>
  blocks.filter((block) => block['type'] === type).map((block) => block[member])

const malformed = (problem: string): McpError => new McpError(ErrorCode.InvalidParams, problem)
