import {
  isFinal,
  isObject,
  type JsonObject,
  McpError,
  TaskMethod,
  type TaskStatus,
} from '@jetway/core/protocol'
import type { CallToolResult } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { begun, ClientError, invalidAnswer } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import type { Requests } from '../requests.ts'
import { readToolResult } from './results.ts'
import { answerAll } from './rounds.ts'

/** A task as the server last showed it. */
export interface TaskState {
  readonly taskId: string
  readonly status: TaskStatus
  /** For people and models. */
  readonly statusMessage?: string
}

/** A call that runs on at the server. */
export interface ClientTask {
  readonly taskId: string
  /** Asks how it stands. */
  get(options?: RequestOptions): Promise<TaskState>
  /** Waits for what it comes to, and answers what it asks meanwhile. The signal ends the waiting, not the task. */
  result(options?: Pick<RequestOptions, 'signal'>): Promise<CallToolResult>
  /** Asks the server to stop it. */
  cancel(options?: RequestOptions): Promise<void>
}

export interface TasksOptions {
  readonly clock: Clock
  readonly requests: Requests
  readonly answer: (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>
}

const UPDATE = 'tasks/update'
/** Where the server does not say how often to ask, and the bounds of what it may say. */
const POLL_MS = 1_000
const LEAST_POLL_MS = 100
const MOST_POLL_MS = 60_000

/**
 * Tasks of both kinds: of the revision that lets each call ask for one, and of the extension by which the server decides.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export class Tasks {
  readonly #options: TasksOptions

  constructor(options: TasksOptions) {
    this.#options = options
  }

  /** What a call says to become a task. */
  wish(ttlMs: number | undefined): JsonObject {
    const { tasks } = this.#options.requests.side.revision
    if (tasks === undefined) throw new ClientError('not-offered', 'The revision has no tasks')
    return tasks.extension === undefined ? { task: ttlMs === undefined ? {} : { ttl: ttlMs } } : {}
  }

  /** The task that a call has become; one that is over where it ran at once. */
  begin(answered: JsonObject): ClientTask {
    const task = taskIn(answered)
    return task === undefined ? finished(answered) : this.#of(readTask(task).taskId)
  }

  of(taskId: string): ClientTask {
    return this.#of(taskId)
  }

  /** What a call has come to, also where it was answered with a task. */
  async resultOf(answered: JsonObject, { signal }: RequestOptions): Promise<JsonObject> {
    const task = taskIn(answered)
    if (task === undefined) return answered
    try {
      return await this.#await(readTask(task).taskId, signal)
    } catch (error) {
      throw begun(error)
    }
  }

  #of(taskId: string): ClientTask {
    const { requests } = this.#options
    return {
      taskId,
      get: async (options) => readTask(await requests.send(TaskMethod.Get, { taskId }, options)),
      result: async ({ signal } = {}) => readToolResult(await this.#await(taskId, signal)),
      cancel: async (options) => {
        await requests.send(TaskMethod.Cancel, { taskId }, options)
      },
    }
  }

  async #await(taskId: string, signal: AbortSignal | undefined): Promise<JsonObject> {
    const { requests } = this.#options
    const { methods } = requests.side.revision
    for (;;) {
      const task = await requests.send(TaskMethod.Get, { taskId }, options(signal))
      const { status } = readTask(task)
      // Its questions come while this request waits, which it does for as long as people take.
      if (methods.has(TaskMethod.Result) && (isFinal(status) || status === 'input_required'))
        return requests.send(
          TaskMethod.Result,
          { taskId },
          { ...options(signal), timeoutMs: FOR_GOOD, maxTotalMs: FOR_GOOD },
        )
      if (isFinal(status)) return outcomeOf(task, status)
      if (status === 'input_required') await this.#answerFor(taskId, task, signal)
      else await this.#pause(task, signal)
    }
  }

  async #answerFor(taskId: string, task: JsonObject, signal: AbortSignal | undefined): Promise<void> {
    const { answer, requests } = this.#options
    const inputResponses = await answerAll(task['inputRequests'] ?? {}, {
      method: TaskMethod.Get,
      signal,
      answer: (method, params, of) => answer(method, params, of),
    })
    await requests.send(UPDATE, { taskId, inputResponses }, options(signal))
  }

  #pause(task: JsonObject, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#options
    const said = task['pollIntervalMs'] ?? task['pollInterval']
    const wait = typeof said === 'number' ? Math.min(Math.max(said, LEAST_POLL_MS), MOST_POLL_MS) : POLL_MS
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clock.clearTimeout(timer)
        reject(signal?.reason as Error)
      }
      const timer = clock.setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, wait)
      signal?.addEventListener('abort', stop, { once: true })
    })
  }
}

/** Longer than any task is kept. */
const FOR_GOOD = 2 ** 31 - 1

const options = (signal: AbortSignal | undefined): RequestOptions => (signal === undefined ? {} : { signal })

/** The older kind has the task as a member of the result, the newer one is the result. */
function taskIn(answered: JsonObject): JsonObject | undefined {
  if (answered['resultType'] === 'task') return answered
  const { task } = answered
  return isObject(task) && typeof task['taskId'] === 'string' && !('content' in answered) ? task : undefined
}

function readTask(task: JsonObject): TaskState {
  const { taskId, status } = task
  if (typeof taskId === 'string' && STATUSES.includes(status)) return task as unknown as TaskState
  throw invalidAnswer(TaskMethod.Get, 'it is no task')
}

const STATUSES: readonly unknown[] = ['working', 'input_required', 'completed', 'failed', 'cancelled']

function outcomeOf({ result, error }: JsonObject, status: TaskStatus): JsonObject {
  if (status === 'completed' && isObject(result)) return result
  if (status === 'cancelled') throw new ClientError('unanswerable', 'The task was cancelled')
  if (status === 'failed' && isObject(error) && typeof error['code'] === 'number')
    throw new McpError(error['code'], String(error['message']), error['data'])
  throw invalidAnswer(TaskMethod.Get, 'the task is over, and has no result')
}

function finished(answered: JsonObject): ClientTask {
  const state: TaskState = { taskId: '', status: 'completed' }
  return {
    taskId: '',
    get: () => Promise.resolve(state),
    result: async () => readToolResult(answered),
    cancel: () => Promise.resolve(),
  }
}
