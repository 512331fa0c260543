import { ErrorCode } from '../errors.ts'
import { isObject, type JsonObject, type JsonRpcErrorObject } from '../protocol/jsonrpc.ts'
import type { CallContext } from '../call/context.ts'
import type { EncodedResponse } from '../call/response.ts'
import type { TaskChange } from '../stores/task-store.ts'

/** Characters of a status message that says how a task ended. */
const MAX_MESSAGE = 200

/**
 * How the record of a task is to end, by the answer that its call came to; the second is for a store that cannot take
 * the first.
 */
export function finalChanges(
  answered: EncodedResponse,
  ctx: CallContext,
  updatedAt: number,
): readonly TaskChange[] {
  const failed = (error: JsonRpcErrorObject): TaskChange => ({
    status: 'failed',
    updatedAt,
    statusMessage: error.message.slice(0, MAX_MESSAGE),
    error,
  })
  const internal = (message: string): TaskChange => failed({ code: ErrorCode.InternalError, message })
  if (answered === undefined) return [internal('The task was ended before it was done')]
  const unstored = internal('The result of the task could not be stored')
  const { result, error } = JSON.parse(answered.frame) as {
    result?: JsonObject
    error?: JsonRpcErrorObject
  }
  if (result === undefined) return [error === undefined ? unstored : failed(error), unstored]
  const bad = result['isError'] === true
  const text = bad ? firstText(result) : undefined
  const ended: TaskChange = {
    status: bad && ctx.revision.tasks?.failsOnToolErrors === true ? 'failed' : 'completed',
    updatedAt,
    ...(text !== undefined && { statusMessage: text.slice(0, MAX_MESSAGE) }),
    result,
  }
  return [ended, unstored]
}

function firstText({ content }: JsonObject): string | undefined {
  const [block] = Array.isArray(content) ? (content as readonly unknown[]) : []
  const text = isObject(block) ? block['text'] : undefined
  return typeof text === 'string' ? text : undefined
}
