import { ErrorCode, isObject, type JsonObject, McpError } from '@jetway/core/protocol'
import { isFiniteNumber } from '../util/numbers.ts'

/**
 * Checks a `sampling/createMessage` request.
 *
 * @param offersTools - whether the client has declared `sampling.tools`
 * @throws McpError -32602
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints
 */
export function checkSampleRequest(params: JsonObject, offersTools: boolean): void {
  const { messages, maxTokens } = params
  if (!Array.isArray(messages) || !isFiniteNumber(maxTokens))
    throw invalidParams('sampling/createMessage needs messages and maxTokens')
  if (!offersTools && (params['tools'] !== undefined || params['toolChoice'] !== undefined))
    throw invalidParams('this client does not sample with tools')
  messages.forEach((message, at) => checkTurn(message, messages[at - 1], messages[at + 1]))
}

/** Checks that the next message has a result for each tool use, and no other content. */
function checkTurn(message: unknown, before: unknown, after: unknown): void {
  const blocks = blocksOf(message)
  const uses = idsOf(blocks, 'tool_use', 'id')
  const answered = new Set(idsOf(blocksOf(after), 'tool_result', 'toolUseId'))
  if (uses.length > 0 && (uses.length !== answered.size || !uses.every((id) => answered.has(id))))
    throw invalidParams('the message after a tool use must have its result')
  const results = idsOf(blocks, 'tool_result', 'toolUseId')
  if (results.length === 0) return
  if (results.length !== blocks.length)
    throw invalidParams('a message with tool results must not have other content')
  if (idsOf(blocksOf(before), 'tool_use', 'id').length === 0)
    throw invalidParams('a tool result needs its tool use in the message before')
}

function blocksOf(message: unknown): readonly JsonObject[] {
  const content = isObject(message) ? message['content'] : undefined
  return [content].flat().filter(isObject)
}

const idsOf = (blocks: readonly JsonObject[], type: string, member: string): readonly unknown[] =>
  blocks.filter((block) => block['type'] === type).map((block) => block[member])

const invalidParams = (problem: string): McpError => new McpError(ErrorCode.InvalidParams, problem)
