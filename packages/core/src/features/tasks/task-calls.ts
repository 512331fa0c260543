import { ErrorCode, invalidParams, McpError, methodNotFound } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { CallContext } from '../../call/context.ts'
import { complete, type HandlerResult, type TaskStarted } from '../../call/result.ts'
import { taskOwner } from '../../tasks/task-owner.ts'
import { type TaskRunner, unknownTask } from '../../tasks/task-runner.ts'
import { shorten } from '../registry/checks.ts'
import { requireExtension } from '../extensions.ts'
import { callTool, type ToolEntry, type ToolTasks, type ToolTasksOptions } from '../tools/tool-call.ts'
import { ifVisible } from '../registry/handler.ts'
import { relatedTask, TaskMethod } from '../../protocol/methods.ts'
import { type TaskDialect, taskDialectOf } from '../../protocol/revisions/task-dialects.ts'
import { TASKS_EXTENSION } from '../../protocol/types.ts'
import type { MethodEntry } from '../../call/method-table.ts'
import { MAX_TIMEOUT_MS } from '../../util/clock.ts'
import type { TaskKey, TaskPosition, TaskRecord } from '../../stores/task-store.ts'
import { decodeCursor, encodeCursor, invalidCursor } from '../registry/listing.ts'

interface TaskCallsOptions extends ToolTasksOptions {
  readonly tasks: () => TaskRunner
}

interface Call {
  readonly ctx: CallContext
  readonly owner: string
}

/**
 * Decides which tool calls become tasks. Either the client requests a task or, with the extension, the server
 * decides.
 */
class TaskCalls implements ToolTasks {
  readonly #options: TaskCallsOptions

  constructor(options: TaskCallsOptions) {
    this.#options = options
  }

  begin(params: JsonObject, ctx: CallContext): Promise<TaskStarted> | undefined {
    const call = toCall(ctx)
    if (call === undefined) return undefined
    if (ctx.revision.tasks !== 'extension')
      return params['task'] === undefined ? undefined : this.#startRequested(params, call)
    const entry = this.#options.find(params['name'], ctx)
    // These calls become tasks at a later step, because their questions are asked inside middleware, and their
    // headers must be compared first.
    if (entry?.asks !== undefined || entry?.inHeaders !== undefined) return undefined
    if (entry === undefined || !this.#byExtension(entry, ctx)) return undefined
    return this.#ifVisible(entry, ctx, () => this.#start(entry, call))
  }

  demand({ taskSupport }: ToolEntry, ctx: CallContext): void {
    if (taskSupport !== 'required' || ctx.revision.tasks !== 'extension' || ctx.task !== undefined) return
    if (this.#options.extensions.has(TASKS_EXTENSION)) requireExtension(ctx, TASKS_EXTENSION)
  }

  instead(entry: ToolEntry, args: JsonObject, ctx: CallContext): Awaitable<HandlerResult> | undefined {
    const call = toCall(ctx)
    if (call === undefined) return undefined
    if (ctx.revision.tasks === 'extension') {
      if (!this.#byExtension(entry, ctx)) return undefined
      // The call itself asks the tool's questions, so the task starts with the answers.
      return callTool(entry, args, ctx, () => this.#start(entry, call))
    }
    if (entry.taskSupport !== 'required') return undefined
    throw new McpError(ErrorCode.MethodNotFound, `The tool ${entry.item.name} must be called as a task`)
  }

  #byExtension({ taskSupport }: ToolEntry, { client, revision }: CallContext): boolean {
    if (taskSupport === undefined || revision.tasks !== 'extension') return false
    return this.#options.extensions.has(TASKS_EXTENSION) && client.extension(TASKS_EXTENSION) !== undefined
  }

  /**
   * Checks only the shape of the call. Its arguments are validated when the task runs, so that validation
   * errors become the task's result.
   */
  async #startRequested({ name, task }: JsonObject, call: Call): Promise<TaskStarted> {
    if (typeof name !== 'string') throw invalidParams('The member "name" must be a string')
    const { find, unknown } = this.#options
    const entry = find(name, call.ctx)
    if (entry === undefined) throw unknown(name)
    return this.#ifVisible(entry, call.ctx, () => {
      if (entry.taskSupport === undefined)
        throw new McpError(ErrorCode.MethodNotFound, `The tool ${shorten(name)} cannot be called as a task`)
      return this.#start(entry, call, requestedTtl(task))
    })
  }

  async #ifVisible(
    entry: ToolEntry,
    ctx: CallContext,
    run: () => Promise<TaskStarted>,
  ): Promise<TaskStarted> {
    return ifVisible(entry, ctx, () => this.#options.unknown(entry.item.name), run)
  }

  #start({ immediateResponse }: ToolEntry, { ctx, owner }: Call, ttlMs?: number): Promise<TaskStarted> {
    return this.#options.tasks().start(ctx, owner, { ttlMs, immediateResponse })
  }
}

/** Returns undefined for a call that cannot become a task. */
function toCall(ctx: CallContext): Call | undefined {
  const owner = taskOwner(ctx)
  const possible = ctx.revision.tasks !== undefined && ctx.task === undefined && owner !== undefined
  return possible ? { ctx, owner } : undefined
}

/** Runs tool calls as tasks. */
export interface TaskFeature {
  /** Returns the runner, which is created when the first task starts. */
  readonly runner: () => TaskRunner
  calls(options: ToolTasksOptions): ToolTasks
  methods(options: Omit<Parameters<typeof taskMethods>[0], 'tasks'>): ReturnType<typeof taskMethods>
}

export const createTaskFeature = (tasks: () => TaskRunner): TaskFeature => ({
  runner: tasks,
  calls: (options) => new TaskCalls({ ...options, tasks }),
  methods: (options) => taskMethods({ ...options, tasks }),
})

interface TaskMethodOptions {
  readonly tasks: () => TaskRunner
  /** Whether any tool can run as a task. */
  readonly offered: () => boolean
  readonly pageSize: number | undefined
}

const DEFAULT_PAGE = 50

/**
 * Serves `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export function taskMethods(options: TaskMethodOptions): readonly (readonly [string, MethodEntry])[] {
  const caller = (ctx: CallContext): Caller => {
    const owner = taskOwner(ctx)
    const dialect = taskDialectOf(ctx.revision)
    if (!options.offered() || owner === undefined || dialect === undefined) throw methodNotFound()
    return { owner, dialect, tasks: options.tasks() }
  }
  const one =
    (
      answer: (from: Caller, key: TaskKey, ctx: CallContext) => Promise<HandlerResult>,
    ): MethodEntry['handle'] =>
    ({ taskId }, ctx) => {
      const from = caller(ctx)
      if (typeof taskId !== 'string') throw unknownTask()
      return answer(from, { owner: from.owner, taskId }, ctx)
    }
  const pageSize = options.pageSize ?? DEFAULT_PAGE
  const get = one(async ({ tasks, dialect }, key) => complete(dialect.shown(await tasks.get(key))))
  const cancel = one(async ({ tasks, dialect }, key) => complete(dialect.shown(await tasks.cancel(key))))
  const result = one(async ({ tasks }, key, ctx) => resultOf(await tasks.result(key, ctx)))
  return [
    [TaskMethod.Get, { handle: get }],
    [TaskMethod.Cancel, { handle: cancel }],
    [TaskMethod.List, { handle: (params, ctx) => list(caller(ctx), params['cursor'], pageSize) }],
    [
      TaskMethod.Result,
      {
        handle: result,
        // The task has its own time limits, and the size of its result has already been checked against the tool's
        // limit.
        target: () => ({ timeoutMs: MAX_TIMEOUT_MS, maxResultBytes: Number.MAX_SAFE_INTEGER }),
      },
    ],
  ]
}

interface Caller {
  readonly owner: string
  readonly dialect: TaskDialect
  readonly tasks: TaskRunner
}

/** Returns the result of a task's call, together with the task's id. */
function resultOf({ taskId, result, error }: TaskRecord): HandlerResult {
  if (error !== undefined) throw new McpError(error.code, error.message, error.data)
  const meta = result?.['_meta'] as JsonObject | undefined
  return complete({ ...result, _meta: { ...meta, ...relatedTask(taskId) } })
}

async function list(
  { tasks, owner, dialect }: Caller,
  cursor: unknown,
  pageSize: number,
): Promise<HandlerResult> {
  const after = cursor === undefined ? undefined : positionOf(decodeCursor('tasks', cursor))
  // To find out whether there is a next page, one more task than fits on the page is read.
  const found = await tasks.list(owner, after, pageSize + 1)
  const shown = found.slice(0, pageSize)
  const last = found.length > pageSize ? shown.at(-1) : undefined
  return complete({
    tasks: shown.map((task) => dialect.shown(task)),
    ...(last !== undefined && { nextCursor: encodeCursor('tasks', `${last.createdAt}:${last.taskId}`) }),
  })
}

function positionOf(key: string): TaskPosition {
  const [, time, taskId] = /^(\d{1,15}):(.*)$/s.exec(key) ?? []
  if (time === undefined || taskId === undefined) throw invalidCursor()
  return { createdAt: Number(time), taskId }
}

/** @throws McpError `-32602` */
function requestedTtl(task: unknown): number | undefined {
  if (!isObject(task)) throw invalidParams('The member "task" must be an object')
  const { ttl } = task
  // A `ttl` of null requests a task without a time limit. The server applies its own limit instead.
  if (ttl === undefined) return undefined
  if (ttl === null) return Number.MAX_SAFE_INTEGER
  if (typeof ttl !== 'number' || !(ttl >= 0))
    throw invalidParams('The member "task.ttl" must be a number, 0 or more')
  return Math.floor(ttl)
}
