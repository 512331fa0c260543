import { isObject, type JsonObject, type JsonRpcErrorObject, notificationFrame } from '../protocol/jsonrpc.ts'
import { Notification, relatedTask } from '../protocol/methods.ts'
import { taskDialectOf } from '../protocol/revisions/task-dialects.ts'
import { deferred } from '../util/promises.ts'
import type { TaskInfo } from '../protocol/types.ts'
import { CallContext, type EndReason } from '../call/context.ts'
import type { Exchange } from '../call/exchange.ts'
import { LiveRequests } from '../call/input/ask.ts'
import { TaskQuestions } from './task-input.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import type { TaskChange, TaskKey, TaskRecord, TaskStore } from '../stores/task-store.ts'
import { ErrorCode } from '../errors.ts'
import type { EncodedResponse } from '../call/response.ts'

interface RunningTaskOptions {
  readonly store: TaskStore
  readonly clock: Clock
  readonly logger: Logger
  /** Runs after a new state of a task has been stored. Must not throw. */
  readonly onStored?: ((key: TaskKey) => void) | undefined
}

/** Parameters that have already been used for the request. The task's call must not use them again. */
const USED_PARAMS = ['task', 'inputResponses', 'requestState'] as const
/** The maximum length of a status message, in characters. */
const MAX_MESSAGE = 1_000

/** A task whose handler runs in this process. */
export class RunningTask {
  readonly key: TaskKey
  readonly questions: TaskQuestions
  readonly ctx: CallContext
  readonly #options: RunningTaskOptions
  readonly #call: CallContext
  #message: string | undefined
  #notified: TaskInfo['status'] = 'working'
  #dirty = false
  #writing: Promise<void> | undefined
  /** Whether the task has ended or is about to end. */
  ending = false
  readonly #done = deferred()

  constructor(record: TaskRecord, call: CallContext, options: RunningTaskOptions) {
    this.key = { owner: record.owner, taskId: record.taskId }
    this.#options = options
    this.#call = call
    // A client that polls already knows to which task the questions belong.
    const meta = this.#polled ? undefined : relatedTask(record.taskId)
    this.questions = new TaskQuestions(meta, () => this.#changed())
    this.ctx = this.#context(call)
  }

  get id(): string {
    return this.key.taskId
  }

  /** Resolves when the final state has been stored. */
  get done(): Promise<void> {
    return this.#done.promise
  }

  setStatusMessage(message: string): void {
    this.#message = message.slice(0, MAX_MESSAGE)
    this.#changed()
  }

  /** Ends the handler, and discards its result. */
  end(reason: EndReason): void {
    this.ending = true
    this.ctx.end?.(reason)
  }

  /**
   * Stores the final state unless there already is one. If the store rejects the first change, the second is
   * used.
   */
  async settle(changes: readonly TaskChange[]): Promise<void> {
    this.ending = true
    await this.#writing
    for (const change of changes) {
      try {
        const record = await this.#options.store.update(this.key, change)
        if (record !== undefined) this.notify(record)
        break
      } catch (error) {
        this.#failed(error)
      }
    }
    this.#done.resolve()
  }

  /** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-status-notification */
  notify(record: TaskRecord): void {
    this.#options.onStored?.(this.key)
    if (this.#polled) return
    const { session, revision } = this.#call.scope
    if (record.status === this.#notified || session === undefined || session.closed) return
    this.#notified = record.status
    const shown: JsonObject | undefined = taskDialectOf(revision)?.shown(record)
    if (shown !== undefined) void session.channel?.send(notificationFrame(Notification.TaskStatus, shown))
  }

  /** Whether the client polls for the status and for questions. If so, nothing is sent to the client. */
  get #polled(): boolean {
    return this.#call.revision.tasks === 'extension'
  }

  #changed(): void {
    this.#dirty = true
    if (!this.ending) this.#writing ??= this.#write()
  }

  /** Writes one state at a time, and skips states that have already been replaced by newer ones. */
  async #write(): Promise<void> {
    try {
      while (this.#dirty && !this.ending) {
        this.#dirty = false
        const record = await this.#options.store.update(this.key, this.#state())
        if (record !== undefined) this.notify(record)
        // The task has been cancelled by another node, or has expired.
        else this.end('cancelled')
      }
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#writing = undefined
    }
  }

  #failed(err: unknown): void {
    this.#options.logger.error({ err }, 'The state of a task could not be stored')
  }

  #state(): TaskChange {
    const { open } = this.questions
    return {
      status: open === undefined ? 'working' : 'input_required',
      updatedAt: this.#options.clock.now(),
      ...(this.#message !== undefined && { statusMessage: this.#message }),
      ...(open !== undefined && { inputs: open }),
    }
  }

  #context(call: CallContext): CallContext {
    const { input, ...scope } = call.scope
    const params = { ...call.message.params }
    for (const name of USED_PARAMS) delete params[name]
    const asks = this.#polled || (input?.live !== undefined && scope.exchange.duplex)
    const exchange: Exchange = { duplex: asks, send: (frame) => this.#send(frame) }
    const ctx = new CallContext(
      { ...call.message, params },
      {
        ...scope,
        exchange,
        task: this,
        ...(input !== undefined &&
          asks && { input: { ...input, live: new LiveRequests(this.questions, input.limits) } }),
      },
    )
    ctx.app = call.app
    ctx.inputs.receive(call.inputs.answers, call.inputs.state)
    ctx.inputs.unmatched = call.inputs.unmatched
    return ctx
  }

  /**
   * Sends a frame on the call that is waiting for the task or, if there is none, on the session's stream. If
   * neither exists, the frame is lost.
   */
  #send(frame: string): void | Promise<void> {
    if (this.#polled) return
    const { exchange } = this.questions
    if (exchange !== undefined) return exchange.send(frame)
    const { session } = this.#call.scope
    if (session?.closed === false) return session.channel?.send(frame)
  }
}

/** The maximum length of a final status message, in characters. */
const MAX_FINAL_MESSAGE = 200

/**
 * Returns the final state of a task, derived from the response to its call. If the store rejects the first
 * change, for example because it is too large, the second is used.
 */
export function finalChanges(
  response: EncodedResponse,
  ctx: CallContext,
  updatedAt: number,
): readonly TaskChange[] {
  const failed = (error: JsonRpcErrorObject): TaskChange => ({
    status: 'failed',
    updatedAt,
    statusMessage: error.message.slice(0, MAX_FINAL_MESSAGE),
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
    status: isError && taskDialectOf(ctx.revision)?.failsOnToolErrors === true ? 'failed' : 'completed',
    updatedAt,
    ...(text !== undefined && { statusMessage: text.slice(0, MAX_FINAL_MESSAGE) }),
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
