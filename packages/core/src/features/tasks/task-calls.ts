import { ErrorCode, invalidParams, McpError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { CallContext } from '../../call/context.ts'
import type { HandlerResult, TaskStarted } from '../../call/result.ts'
import { taskOwner } from '../../tasks/task-owner.ts'
import type { TaskRunner } from '../../tasks/task-runner.ts'
import { shorten } from '../registry/checks.ts'
import { requireExtension } from '../extensions.ts'
import { requestedTtl } from './task-methods.ts'
import { callTool, type ToolEntry, type ToolTasks, type ToolTasksOptions } from '../tools/tool-call.ts'
import { ifVisible } from '../registry/handler.ts'

interface TaskCallsOptions extends ToolTasksOptions {
  readonly tasks: () => TaskRunner
}

interface Call {
  readonly ctx: CallContext
  readonly owner: string
}

/** Decides which tool calls are tasks. The client decides, or with the extension the server. */
export class TaskCalls implements ToolTasks {
  readonly #options: TaskCallsOptions

  constructor(options: TaskCallsOptions) {
    this.#options = options
  }

  begin(params: JsonObject, ctx: CallContext): Promise<TaskStarted> | undefined {
    const call = toCall(ctx)
    if (call === undefined) return undefined
    if (ctx.revision.tasks?.extension === undefined)
      return params['task'] === undefined ? undefined : this.#startRequested(params, call)
    const entry = this.#options.find(params['name'], ctx)
    // Rounds of questions run inside middleware, and headers are compared before a task starts.
    if (entry?.asks !== undefined || entry?.inHeaders !== undefined) return undefined
    if (entry === undefined || !this.#byExtension(entry, ctx)) return undefined
    return this.#ifVisible(entry, ctx, () => this.#start(entry, call))
  }

  demand({ taskSupport }: ToolEntry, ctx: CallContext): void {
    const id = ctx.revision.tasks?.extension
    if (taskSupport !== 'required' || id === undefined || ctx.task !== undefined) return
    if (this.#options.extensions.has(id)) requireExtension(ctx, id)
  }

  instead(entry: ToolEntry, args: JsonObject, ctx: CallContext): Awaitable<HandlerResult> | undefined {
    const call = toCall(ctx)
    if (call === undefined) return undefined
    if (ctx.revision.tasks?.extension !== undefined) {
      if (!this.#byExtension(entry, ctx)) return undefined
      // The call itself asks the questions of the tool, so that the task starts with the answers.
      return callTool(entry, args, ctx, () => this.#start(entry, call))
    }
    if (entry.taskSupport !== 'required') return undefined
    throw new McpError(ErrorCode.MethodNotFound, `The tool ${entry.item.name} must be called as a task`)
  }

  #byExtension({ taskSupport }: ToolEntry, { client, revision }: CallContext): boolean {
    const id = revision.tasks?.extension
    if (taskSupport === undefined || id === undefined || !this.#options.extensions.has(id)) return false
    return client.extension(id) !== undefined
  }

  /**
   * Checks only the shape of the call. The arguments are validated when it runs, and its errors become the
   * task's result.
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
