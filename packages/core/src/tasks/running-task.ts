import type { JsonObject } from '../protocol/jsonrpc.ts'
import { notificationFrame } from '../protocol/jsonrpc.ts'
import { relatedTask } from '../protocol/meta.ts'
import { Notification } from '../protocol/methods.ts'
import type { TaskInfo } from '../protocol/tasks.ts'
import { CallContext, type EndReason } from '../call/context.ts'
import type { Exchange } from '../call/exchange.ts'
import { LiveRequests } from '../call/input/live.ts'
import { TaskQuestions } from './task-input.ts'
import type { TaskChange, TaskKey, TaskRecord, TaskStore } from '../stores/task-store.ts'

export interface RunningTaskOptions {
  /** Hears when another state was stored. Must not throw. */
  readonly onStored?: ((key: TaskKey) => void) | undefined
  readonly store: TaskStore
  readonly now: () => number
  /** Hears of a write that failed. Must not throw. */
  readonly onError: (error: unknown) => void
}

/** Members of a call's parameters that its own request has dealt with. */
const OF_THE_REQUEST = ['task', 'inputResponses', 'requestState'] as const
/** How much of a status message is kept, in characters. */
const MAX_MESSAGE = 1_000

/** A task whose handler runs in this process. */
export class RunningTask {
  readonly key: TaskKey
  readonly questions: TaskQuestions
  /** The call as it runs, without its client waiting. */
  readonly ctx: CallContext
  /** Resolves when the record says how it ended. */
  readonly done: Promise<void>
  readonly #options: RunningTaskOptions
  readonly #call: CallContext
  #message: string | undefined
  #told: TaskInfo['status'] = 'working'
  #dirty = false
  #writing: Promise<void> | undefined
  #ending = false
  #resolve!: () => void

  constructor(record: TaskRecord, call: CallContext, options: RunningTaskOptions) {
    this.key = { owner: record.owner, taskId: record.taskId }
    this.#options = options
    this.#call = call
    // Who polls for the questions knows whose they are.
    const meta = this.#polled ? undefined : relatedTask(record.taskId)
    this.questions = new TaskQuestions(meta, () => this.#changed())
    this.ctx = this.#context(call)
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get id(): string {
    return this.key.taskId
  }

  /** It is over, or was before its handler ran. */
  get ending(): boolean {
    return this.#ending
  }

  setStatusMessage(message: string): void {
    this.#message = message.slice(0, MAX_MESSAGE)
    this.#changed()
  }

  /** Ends the handler; what it still returns is dropped. */
  end(reason: EndReason): void {
    this.#ending = true
    this.ctx.end?.(reason)
  }

  /** Writes how it ended, unless that was said already. */
  async settle(changes: readonly TaskChange[]): Promise<void> {
    this.#ending = true
    await this.#writing
    for (const change of changes) {
      try {
        const record = await this.#options.store.update(this.key, change)
        if (record !== undefined) this.notify(record)
        break
      } catch (error) {
        this.#options.onError(error)
      }
    }
    this.#resolve()
  }

  /** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-status-notification */
  notify(record: TaskRecord): void {
    this.#options.onStored?.(this.key)
    if (this.#polled) return
    const { settings, revision } = this.#call.scope
    if (record.status === this.#told || settings === undefined || settings.closed) return
    this.#told = record.status
    const shown: JsonObject | undefined = revision.tasks?.shown(record)
    if (shown !== undefined) void settings.channel?.send(notificationFrame(Notification.TaskStatus, shown))
  }

  /** Its client comes to ask how far it is, and what it wants to know; there is no other way to the client. */
  get #polled(): boolean {
    return this.#call.revision.tasks?.extension !== undefined
  }

  #changed(): void {
    this.#dirty = true
    if (!this.#ending) this.#writing ??= this.#write()
  }

  /** One write at a time, and the newest state only, however quickly it changes. */
  async #write(): Promise<void> {
    try {
      while (this.#dirty && !this.#ending) {
        this.#dirty = false
        const record = await this.#options.store.update(this.key, this.#state())
        if (record !== undefined) this.notify(record)
        // Another node has cancelled it, or its time is over.
        else this.end('cancelled')
      }
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#writing = undefined
    }
  }

  #state(): TaskChange {
    const { open } = this.questions
    return {
      status: open === undefined ? 'working' : 'input_required',
      updatedAt: this.#options.now(),
      ...(this.#message !== undefined && { statusMessage: this.#message }),
      ...(open !== undefined && { inputs: open }),
    }
  }

  #context(call: CallContext): CallContext {
    const { input, ...scope } = call.scope
    const params = { ...call.message.params }
    for (const taken of OF_THE_REQUEST) delete params[taken]
    const asks = this.#polled || (input?.live !== undefined && scope.exchange.duplex)
    const exchange: Exchange = { duplex: asks, send: (frame) => this.#send(frame) }
    const ctx = new CallContext(
      { ...call.message, params },
      {
        ...scope,
        exchange,
        task: this,
        ...(input !== undefined &&
          asks && {
            input: { ...input, live: new LiveRequests(this.questions, input.limits) },
          }),
      },
    )
    ctx.app = call.app
    ctx.inputs.receive(call.inputs.answers, call.inputs.state)
    ctx.inputs.unmatched = call.inputs.unmatched
    return ctx
  }

  /** On the call that waits for the task, or else on the stream that belongs to no call; without both it is lost. */
  #send(frame: string): void | Promise<void> {
    if (this.#polled) return
    const { exchange } = this.questions
    if (exchange !== undefined) return exchange.send(frame)
    const { settings } = this.#call.scope
    if (settings !== undefined && !settings.closed) return settings.channel?.send(frame)
  }
}
