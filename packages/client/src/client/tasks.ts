import {
  type CallToolResult,
  ErrorCode,
  isFinal,
  isObject,
  type JsonObject,
  McpError,
  TaskMethod,
  TASKS_EXTENSION,
  type TaskStatus,
} from '@jetway/core/protocol'
import { asStarted, ClientError, invalidResponse } from '../errors.ts'
import { answerAll } from '../input/rounds.ts'
import { isFiniteNumber } from '../util/numbers.ts'
import { delay } from '../util/promises.ts'
import type { RequestOptions } from '../options/options.ts'
import type { RequestSender } from './request-sender.ts'
import { readToolResult } from './results.ts'

/** The state of a task according to the last response. */
export interface TaskState {
  readonly taskId: string
  readonly status: TaskStatus
  /** A description of the state, for users and models. */
  readonly statusMessage?: string
}

/** A tool call that runs as a task. */
export interface ClientTask {
  readonly taskId: string
  get(options?: RequestOptions): Promise<TaskState>
  /** Waits for the result, and answers input requests. Aborting the signal ends the wait, but not the task. */
  result(options?: Pick<RequestOptions, 'signal'>): Promise<CallToolResult>
  cancel(options?: RequestOptions): Promise<void>
}

/** The polling interval if the server does not suggest one, in ms. */
const POLL_MS = 1_000
const MIN_POLL_MS = 100
const MAX_POLL_MS = 60_000
/** The longest delay that a timer accepts: 24 days. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Handles both kinds of tasks: those of revision 2025-11-25, which the client requests, and those of the
 * extension, which the server creates.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export class Tasks {
  readonly #requests: RequestSender

  constructor(requests: RequestSender) {
    this.#requests = requests
  }

  /** Returns the parameters that make a call a task. */
  params(ttlMs: number | undefined): JsonObject {
    const { tasks } = this.#requests.dialect.revision
    if (tasks === undefined) throw new ClientError('not-supported', 'The negotiated revision has no tasks')
    return tasks === 'experimental' ? { task: ttlMs === undefined ? {} : { ttl: ttlMs } } : {}
  }

  /** Whether the client decides which calls become tasks. */
  get canAsk(): boolean {
    const { revision, server } = this.#requests.dialect
    const { requests } = server.capabilities.tasks ?? {}
    const tools = isObject(requests) ? requests['tools'] : undefined
    return revision.tasks !== 'extension' && isObject(tools) && isObject(tools['call'])
  }

  /** Returns whether the server has refused a call because the client has not declared the extension. */
  areMissing({ code, data }: McpError): boolean {
    const { requiredCapabilities: required } = isObject(data) ? data : {}
    const extensions = isObject(required) ? required['extensions'] : undefined
    return code === ErrorCode.MissingClientCapability && isObject(extensions) && TASKS_EXTENSION in extensions
  }

  /** Returns the task in a call's result. If the call did not become a task, returns a completed task. */
  from(result: JsonObject): ClientTask {
    const task = taskIn(result)
    return task === undefined ? completed(result) : this.get(readTask(task).taskId)
  }

  /** Returns a call's result. If the call has become a task, returns the task's result. */
  async resultOf(result: JsonObject, { signal }: RequestOptions): Promise<JsonObject> {
    const task = taskIn(result)
    if (task === undefined) return result
    const { taskId } = readTask(task)
    return this.#wait(taskId, signal).catch((error: unknown) => {
      // No other code knows the task's id, so the task is cancelled together with the call.
      if (signal?.aborted === true) void this.get(taskId).cancel().catch(this.#requests.onError)
      throw asStarted(error)
    })
  }

  get(taskId: string): ClientTask {
    const requests = this.#requests
    return {
      taskId,
      get: async (options) => readTask(await requests.send(TaskMethod.Get, { taskId }, options)),
      result: async ({ signal } = {}) => readToolResult(await this.#wait(taskId, signal)),
      cancel: async (options) => {
        await requests.send(TaskMethod.Cancel, { taskId }, options)
      },
    }
  }

  async #wait(taskId: string, signal: AbortSignal | undefined): Promise<JsonObject> {
    const requests = this.#requests
    const { methods } = requests.dialect.revision
    const options: RequestOptions = signal === undefined ? {} : { signal }
    for (;;) {
      const task = await requests.send(TaskMethod.Get, { taskId }, options)
      const { status } = readTask(task)
      // In 2025-11-25, the server sends its requests for input while `tasks/result` is pending, so this request
      // may take as long as users need.
      if (methods.has(TaskMethod.Result) && (isFinal(status) || status === 'input_required'))
        return requests.send(
          TaskMethod.Result,
          { taskId },
          { ...options, timeoutMs: NO_TIMEOUT_MS, maxTotalMs: NO_TIMEOUT_MS },
        )
      if (isFinal(status)) return resultIn(task, status)
      if (status !== 'input_required') {
        await delay(pollInterval(task), requests.options.clock, signal)
        continue
      }
      const inputResponses = await answerAll(task['inputRequests'] ?? {}, {
        method: TaskMethod.Get,
        signal,
        answer: requests.input.answerForCall,
      })
      await requests.send('tasks/update', { taskId, inputResponses }, options)
    }
  }
}

function pollInterval({ pollIntervalMs, pollInterval: legacy }: JsonObject): number {
  const wanted = pollIntervalMs ?? legacy
  return typeof wanted === 'number' ? Math.min(Math.max(wanted, MIN_POLL_MS), MAX_POLL_MS) : POLL_MS
}

/** Returns the task. In 2025-11-25, it is a member of the result; in the extension, it is the result itself. */
function taskIn(result: JsonObject): JsonObject | undefined {
  if (result['resultType'] === 'task') return result
  const { task } = result
  return isObject(task) && typeof task['taskId'] === 'string' && !('content' in result) ? task : undefined
}

const STATUSES: readonly unknown[] = ['working', 'input_required', 'completed', 'failed', 'cancelled']

function readTask(task: JsonObject): TaskState {
  const { taskId, status } = task
  if (typeof taskId === 'string' && STATUSES.includes(status)) return task as unknown as TaskState
  throw invalidResponse(TaskMethod.Get, 'it is not a task')
}

function resultIn({ result, error }: JsonObject, status: TaskStatus): JsonObject {
  if (status === 'completed' && isObject(result)) return result
  if (status === 'cancelled') throw new ClientError('cancelled', 'The task was cancelled')
  if (status === 'failed' && isObject(error) && isFiniteNumber(error['code']))
    throw new McpError(error['code'], String(error['message']), error['data'])
  throw invalidResponse(TaskMethod.Get, 'the task has ended without a result')
}

const completed = (result: JsonObject): ClientTask => ({
  taskId: '',
  get: async () => ({ taskId: '', status: 'completed' }),
  result: async () => readToolResult(result),
  cancel: async () => {},
})
