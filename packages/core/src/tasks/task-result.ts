import { ErrorCode } from '../errors.ts'
import { isObject, type JsonObject, type JsonRpcErrorObject } from '../protocol/jsonrpc.ts'
import type { CallContext } from '../call/context.ts'
import type { EncodedResponse } from '../call/response.ts'
import type { TaskChange } from '../stores/task-store.ts'

/** The maximum length of a final status message, in characters. */
const MAX_MESSAGE = 200

/**
 * Returns the final state of a task, from the response to its call. The second change is for a store that
 * refuses the first, for example because it is too large.
 */
export function finalChanges(
  response: EncodedResponse,
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
  if (response === undefined) return [internal('The task ended before its result')]
  const unstored = internal('The result of the task could not be stored')
  const { result, error } = JSON.parse(response.frame) as {
    result?: JsonObject
    error?: JsonRpcErrorObject
  }
  if (result === undefined) return [error === undefined ? unstored : failed(error), unstored]
  const isError = result['isError'] === true
  const text = isError ? firstText(result) : undefined
  const ended: TaskChange = {
    status: isError && ctx.revision.tasks?.failsOnToolErrors === true ? 'failed' : 'completed',
    updatedAt,
    ...(text !== undefined && { statusMessage: text.slice(0, MAX_MESSAGE) }),
    result,
  }
  return [ended, unstored]
}

/** Returns the final state of a task whose node has stopped. */
export function nodeStopped(updatedAt: number): TaskChange {
  const message =
    'The node that ran this task has stopped. The task may have had effects: check them before you start it again'
  return {
    status: 'failed',
    updatedAt,
    statusMessage: message,
    error: { code: ErrorCode.InternalError, message },
  }
}

function firstText({ content }: JsonObject): string | undefined {
  const [block] = Array.isArray(content) ? (content as readonly unknown[]) : []
  const text = isObject(block) ? block['text'] : undefined
  return typeof text === 'string' ? text : undefined
}
