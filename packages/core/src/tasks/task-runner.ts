import { busy, ErrorCode, invalidParams, McpError } from '../errors.ts'
import type { JsonObject } from '../protocol/jsonrpc.ts'
import { IMMEDIATE_RESPONSE } from '../protocol/methods.ts'
import { taskDialectOf } from '../protocol/revisions/task-dialects.ts'
import { isFinal } from '../protocol/types.ts'
import type { CallContext } from '../call/context.ts'
import type { Dispatcher } from '../call/dispatcher.ts'
import { finalChanges, nodeStopped, RunningTask } from './running-task.ts'
import type { TaskStarted } from '../call/result.ts'
import { type Random, randomToken } from '../util/random.ts'
import { Drainable } from '../session/drainable.ts'
import type { ServerMount } from '../session/server-runtime.ts'
import { type Gauges, NOTHING_HELD } from '../session/stats.ts'
import type { Bus } from '../stores/bus.ts'
import type { Nodes } from '../stores/nodes.ts'
import { attempt, type Awaitable } from '../util/promises.ts'
import { SessionTasks, TaskSlots } from './task-owner.ts'
import { TaskChanges, TaskWatch } from './task-changes.ts'
import { type TaskMail, TaskNodes } from './task-nodes.ts'
import type { TaskKey, TaskPosition, TaskRecord, TaskStore } from '../stores/task-store.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { pollTask, waitFor } from './task-wait.ts'

export interface TaskLimits {
  /**
   * How long a task is kept if its client does not set a `ttl`, in ms after its creation. @default 3_600_000
   */
  readonly defaultTtlMs: number
  /**
   * The maximum `ttl` that a client can set, in ms. It limits how long a task can run, and how long its
   * result is kept. @default 86_400_000
   */
  readonly maxTtlMs: number
  /** The interval at which clients should poll, in ms. @default 1_000 */
  readonly pollIntervalMs: number
}

export const DEFAULT_TASK_LIMITS: TaskLimits = {
  defaultTtlMs: 3_600_000,
  maxTtlMs: 86_400_000,
  pollIntervalMs: 1_000,
}

interface TasksOptions {
  readonly store: TaskStore
  readonly clock: Clock
  readonly logger: Logger
  /** Runs after a new state of a task has been stored. Must not throw. */
  readonly onStored?: ((key: TaskKey) => void) | undefined
  /** The maximum number of running tasks per owner. */
  readonly maxRunning: number
  /** The maximum number of running tasks for all anonymous clients combined. */
  readonly maxAnonymous: number
  /** Runs the calls, with the time limits that apply to tasks. */
  readonly dispatcher: Dispatcher
  readonly random: Random
  /** Undefined if tasks run only in this process. */
  readonly nodes?: Nodes | undefined
  /** Delivers notifications about changed tasks. */
  readonly bus: Bus
  readonly limits: TaskLimits
}

interface TaskRequest {
  /** How long the client asks for the task to be kept, in ms. */
  readonly ttlMs: number | undefined
  /** A message that the model receives while the result is pending. */
  readonly immediateResponse: string | undefined
}

/** The minimum `ttl`, in ms. With a smaller value, a task could expire before its client reads it. */
const MIN_TTL_MS = 1_000
/**
 * The length of a task id, in characters: 132 random bits, because only the id protects an anonymous client's
 * task.
 */
const TASK_ID_LENGTH = 22
const STORE_FAILED = 'The tasks of the server cannot be reached, try again shortly'
const STORE_FULL = 'The server can keep no more tasks: wait until one has ended'

/**
 * Runs calls as tasks. A task belongs to the principal that started it, or to the session if the client is
 * anonymous. For all other callers, the task does not exist.
 */
export class TaskRunner implements ServerMount {
  readonly isMount = false
  readonly #options: TasksOptions
  readonly #live = new Map<string, RunningTask>()
  readonly #slots: TaskSlots
  readonly #sessions: SessionTasks
  readonly #work: Drainable
  readonly #nodes: TaskNodes | undefined
  readonly #changes: TaskChanges

  constructor(options: TasksOptions) {
    this.#options = options
    this.#slots = new TaskSlots(options)
    this.#sessions = new SessionTasks(options, (owner) => this.#endOf(owner))
    this.#changes = new TaskChanges(options.bus)
    this.#work = new Drainable(options.clock, { finish: () => this.#endAll() })
    if (options.nodes !== undefined)
      this.#nodes = new TaskNodes(options.nodes, options, (key, mail) => void this.#receive(key, mail))
  }

  get closed(): Promise<void> {
    return this.#work.closed
  }

  gauges(): Gauges {
    return { ...NOTHING_HELD, tasks: this.#live.size }
  }

  /**
   * Starts a call as a task. Resolves once the task has been stored.
   *
   * @throws McpError "busy" if too many tasks are running, the store is full or the server is closing
   */
  async start(call: CallContext, owner: string, request: TaskRequest): Promise<TaskStarted> {
    this.#enter(owner)
    const record = this.#record(call, owner, request)
    try {
      if (!(await this.#store(record))) throw busy(STORE_FULL)
      this.#run(record, call)
    } catch (error) {
      this.#leave(owner)
      throw error
    }
    const meta = request.immediateResponse && { [IMMEDIATE_RESPONSE]: request.immediateResponse }
    const result = taskDialectOf(call.revision)?.created(record, meta || undefined) ?? {}
    return { kind: 'task', type: 'task', result }
  }

  #store(record: TaskRecord): Promise<boolean> {
    return this.#stored(async () => {
      // Registers this node before its id appears in a record.
      await this.#nodes?.ready()
      return this.#options.store.create(record)
    })
  }

  /**
   * Runs a step that uses the store.
   *
   * @throws McpError "busy" if the store fails, so that the client can retry
   */
  async #stored<T>(step: () => Awaitable<T>): Promise<T> {
    try {
      return await step()
    } catch (error) {
      this.#options.logger.error({ err: error }, 'A task store failed. The request was refused')
      throw busy(STORE_FAILED)
    }
  }

  /** @throws McpError if the owner has no such task */
  async get(key: TaskKey): Promise<TaskRecord> {
    const record = await this.find(key)
    if (record === undefined) throw unknownTask()
    return record
  }

  /** Returns undefined if the owner has no such task. */
  async find(key: TaskKey): Promise<TaskRecord | undefined> {
    return this.#stored(async () => {
      const record = await this.#options.store.get(key)
      return record && this.#current(record)
    })
  }

  /** Returns the task's current record. Fails the task if its node has stopped. */
  async #current(record: TaskRecord): Promise<TaskRecord | undefined> {
    const { store, clock, onStored } = this.#options
    if (isFinal(record.status) || (await this.#nodes?.hasStopped(record)) !== true) return record
    const failed = await store.update(record, nodeStopped(clock.now()))
    if (failed === undefined) return store.get(record)
    onStored?.(record)
    return failed
  }

  /** Creates a watch for subscriptions, which reads a task after each change. */
  watch(): TaskWatch {
    return new TaskWatch(this.#options)
  }

  /**
   * Waits until a task has ended. Meanwhile, the task's questions are sent through the waiting call.
   *
   * @throws McpError if the owner has no such task, or if the task expires first
   */
  async result(key: TaskKey, call: CallContext): Promise<TaskRecord> {
    const live = this.#live.get(key.taskId)
    if (live?.key.owner === key.owner) await waitFor(live, call)
    const record = await this.get(key)
    return isFinal(record.status) ? record : this.#poll(record, call)
  }

  /** Waits for a task that runs on another node. */
  #poll(task: TaskRecord, call: CallContext): Promise<TaskRecord> {
    const { clock, limits } = this.#options
    return pollTask(task, call, {
      clock,
      intervalMs: limits.pollIntervalMs,
      watch: (listener) => this.#changes.watch(task.taskId, listener),
      read: () => this.get(task),
      answer: (id, response) =>
        this.#nodes?.send(task, { kind: 'answers', responses: { [id]: response } }) ?? false,
    })
  }

  async list(owner: string, after: TaskPosition | undefined, limit: number): Promise<readonly TaskRecord[]> {
    return this.#stored(() => this.#options.store.list(owner, { after, limit }))
  }

  /**
   * Ends a task: aborts its handler's signal, and discards the handler's result.
   *
   * @throws McpError if the owner has no such task, or if the task has ended
   */
  async cancel(key: TaskKey): Promise<TaskRecord> {
    const cancelled = await this.#cancel(key)
    if (cancelled !== undefined) return cancelled
    const { status } = await this.get(key)
    throw invalidParams(`Cannot cancel the task: its status is already "${status}"`)
  }

  /**
   * Like {@link cancel}, but does nothing if the task has ended.
   *
   * @throws McpError if the owner has no such task
   */
  async stop(key: TaskKey): Promise<void> {
    if ((await this.#cancel(key)) === undefined) await this.get(key)
  }

  /**
   * Passes a client's responses to the task's open questions. Ignores all other responses.
   *
   * @throws McpError if the owner has no such task, or if the task's process cannot be reached
   */
  async answer(key: TaskKey, responses: Readonly<Record<string, JsonObject>>): Promise<void> {
    const record = await this.get(key)
    const live = this.#live.get(key.taskId)
    if (live?.key.owner === key.owner) {
      answerAll(live, responses)
      return
    }
    if (isFinal(record.status)) return
    // Without this error, the client would wait forever for a task that has not received the responses.
    if ((await this.#nodes?.send(record, { kind: 'answers', responses })) !== true)
      throw new McpError(ErrorCode.InternalError, 'The task runs on another node: send its requests there')
  }

  async #cancel(key: TaskKey): Promise<TaskRecord | undefined> {
    const message = 'The task was cancelled'
    const change = {
      status: 'cancelled',
      statusMessage: message,
      updatedAt: this.#options.clock.now(),
      error: { code: ErrorCode.InvalidRequest, message },
    } as const
    const cancelled = await this.#stored(() => this.#options.store.update(key, change))
    if (cancelled === undefined) return undefined
    const live = this.#live.get(key.taskId)
    if (live === undefined) {
      this.#options.onStored?.(key)
      void this.#nodes?.send(cancelled, { kind: 'cancelled' })
    }
    live?.notify(cancelled)
    live?.end('cancelled')
    return cancelled
  }

  /** Handles a message from another node about a task that may run on this one. */
  async #receive(key: TaskKey, mail: TaskMail): Promise<void> {
    const live = this.#live.get(key.taskId)
    if (live?.key.owner !== key.owner) return
    if (mail.kind === 'answers') {
      answerAll(live, mail.responses)
      return
    }
    const { store, logger } = this.#options
    const record = await attempt(
      () => store.get(key),
      (err): undefined => {
        logger.error({ err }, 'A cancelled task could not be read')
      },
    )
    if (record !== undefined) live.notify(record)
    live.end('cancelled')
  }

  close(options?: { readonly deadline?: number }): Promise<void> {
    return this.#work.close(options)
  }

  /** Ends the running tasks of one owner. */
  #endOf(owner: string): void {
    for (const live of this.#live.values()) if (live.key.owner === owner) live.end('closed')
  }

  async #endAll(): Promise<void> {
    const left = [...this.#live.values()]
    for (const live of left) live.end('closed')
    await Promise.all(left.map((live) => live.done))
    await this.#nodes?.leave()
    this.#options.dispatcher.releaseTimers()
  }

  #record(call: CallContext, owner: string, { ttlMs }: TaskRequest): TaskRecord {
    const { clock, random, limits } = this.#options
    const createdAt = clock.now()
    return {
      taskId: randomToken(TASK_ID_LENGTH, random),
      owner,
      ...(this.#nodes !== undefined && { node: this.#nodes.id }),
      method: call.message.method,
      revision: call.protocolVersion,
      status: 'working',
      createdAt,
      updatedAt: createdAt,
      ttlMs: Math.min(Math.max(ttlMs ?? limits.defaultTtlMs, MIN_TTL_MS), limits.maxTtlMs),
      pollIntervalMs: limits.pollIntervalMs,
    }
  }

  #run(record: TaskRecord, call: CallContext): void {
    const { clock, dispatcher } = this.#options
    const live = new RunningTask(record, call, this.#options)
    this.#live.set(record.taskId, live)
    const release = this.#sessions.follow(record.owner, call)
    const timer = clock.setTimeout(() => live.end('timeout'), record.ttlMs)
    const run = async (): Promise<void> => {
      // The client must receive the response that contains the task before any notification from the handler.
      await Promise.resolve()
      const answered = live.ending ? undefined : await dispatcher.run(live.ctx)
      await live.settle(finalChanges(answered, live.ctx, clock.now()))
      clock.clearTimeout(timer)
      this.#live.delete(record.taskId)
      release()
      this.#leave(record.owner)
    }
    call.waitUntil(run())
  }

  #enter(owner: string): void {
    if (this.#work.closing) throw busy()
    this.#slots.take(owner)
    this.#work.begin()
  }

  #leave(owner: string): void {
    this.#slots.free(owner)
    if (this.#slots.unused) this.#options.dispatcher.releaseTimers()
    this.#work.end()
  }
}

function answerAll({ questions }: RunningTask, responses: Readonly<Record<string, JsonObject>>): void {
  for (const [id, response] of Object.entries(responses)) questions.answer(id, response)
}

/**
 * Creates the error for an unknown task. It is the same for other owners' tasks, for expired tasks and for
 * tasks that never existed.
 */
export const unknownTask = (): McpError => invalidParams('Task not found')
