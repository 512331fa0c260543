import { ErrorCode, invalidParams, isErrorOf, McpError, ToolError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { CallContext } from '../../call/context.ts'
import type { HandlerResult, TaskStarted } from '../../call/result.ts'
import { taskOwner, type TaskRunner } from '../../tasks/task-runner.ts'
import { describeIssues } from '../../schema/issues.ts'
import { shorten } from '../registry/checks.ts'
import { requireExtension } from '../extensions.ts'
import { requestedTtl } from './task-methods.ts'
import { type ToolEntry, toolFailure } from '../tools/tool-call.ts'
import { ifVisible } from '../registry/visibility.ts'

export interface TaskCallsOptions {
  readonly tasks: () => TaskRunner
  /** The extensions that the server has, by id. */
  readonly extensions: ReadonlySet<string>
  /** Whether any tool can run as a task. */
  readonly offered: () => boolean
  readonly find: (name: unknown, ctx: CallContext) => ToolEntry | undefined
  readonly unknown: (name: string) => Error
}

/** Decides which calls of tools are tasks: the client does, or by the extension the server. */
export class TaskCalls {
  readonly #options: TaskCallsOptions

  constructor(options: TaskCallsOptions) {
    this.#options = options
  }

  /** Starts what is to be a task from the first; undefined for any other call. */
  begin(params: JsonObject, ctx: CallContext): Promise<TaskStarted> | undefined {
    const { tasks, offered } = this.#options
    const dialect = ctx.revision.tasks
    if (dialect === undefined || ctx.task !== undefined || !offered()) return undefined
    const owner = taskOwner(ctx)
    if (owner === undefined) return undefined
    if (dialect.extension === undefined) {
      const { task } = params
      return task === undefined ? undefined : this.#asAsked(params, { ctx, owner, tasks: tasks() })
    }
    const entry = this.#options.find(params['name'], ctx)
    // Rounds of questions run inside middleware, and headers are compared before a task begins.
    if (entry?.asks !== undefined || entry?.inHeaders !== undefined) return undefined
    if (entry === undefined || !this.#handsOff(entry, ctx)) return undefined
    return this.#visible(entry, ctx, () => start(entry, { ctx, owner, tasks: tasks() }, undefined))
  }

  /**
   * Refuses a call that can only be a task to a client that cannot have one.
   *
   * @throws McpError `-32021`
   */
  demand({ taskSupport }: ToolEntry, ctx: CallContext): void {
    const id = ctx.revision.tasks?.extension
    if (taskSupport !== 'required' || id === undefined || ctx.task !== undefined) return
    if (this.#options.extensions.has(id)) requireExtension(ctx, id)
  }

  /**
   * What takes the place of a call's own run; undefined where it runs. Where calls cannot be tasks, a tool that must be
   * called as one runs as any other: a client of an older revision has no other way to call it.
   *
   * @throws McpError where the call must be a task and is none
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#execution
   */
  instead(entry: ToolEntry, args: JsonObject, ctx: CallContext): Promise<HandlerResult> | undefined {
    const dialect = ctx.revision.tasks
    const owner = taskOwner(ctx)
    const { tasks } = this.#options
    if (dialect === undefined || ctx.task !== undefined || owner === undefined) return undefined
    if (dialect.extension === undefined) {
      if (entry.taskSupport !== 'required') return undefined
      throw new McpError(ErrorCode.MethodNotFound, `The tool ${entry.item.name} must be called as a task`)
    }
    if (!this.#handsOff(entry, ctx)) return undefined
    return askThenStart(entry, args, { ctx, owner, tasks: tasks() })
  }

  #handsOff({ taskSupport }: ToolEntry, { client, revision }: CallContext): boolean {
    const id = revision.tasks?.extension
    if (taskSupport === undefined || id === undefined || !this.#options.extensions.has(id)) return false
    return client.extension(id) !== undefined
  }

  /** The call is validated when it runs, and its faults become the task's result. Only its shape is checked here. */
  async #asAsked({ name, task }: JsonObject, call: Call): Promise<TaskStarted> {
    if (typeof name !== 'string') throw invalidParams('The member "name" must be a string')
    const { find, unknown } = this.#options
    const entry = find(name, call.ctx)
    if (entry === undefined) throw unknown(name)
    return this.#visible(entry, call.ctx, () => {
      if (entry.taskSupport === undefined)
        throw new McpError(ErrorCode.MethodNotFound, `The tool ${shorten(name)} cannot be called as a task`)
      return start(entry, call, requestedTtl(task))
    })
  }

  async #visible(entry: ToolEntry, ctx: CallContext, run: () => Promise<TaskStarted>): Promise<TaskStarted> {
    return ifVisible(entry, ctx, () => this.#options.unknown(entry.item.name), run)
  }
}

interface Call {
  readonly ctx: CallContext
  readonly owner: string
  readonly tasks: TaskRunner
}

const start = (
  { immediateResponse }: ToolEntry,
  { ctx, owner, tasks }: Call,
  ttlMs: number | undefined,
): Promise<TaskStarted> => tasks.start(ctx, owner, { ttlMs, immediateResponse })

/**
 * What is asked before the work begins is asked by the call itself, so that the task begins with the answers.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
async function askThenStart(entry: ToolEntry, args: JsonObject, call: Call): Promise<HandlerResult> {
  try {
    const checked = await entry.input.check(args)
    if (!checked.ok)
      return toolFailure(
        `Invalid arguments for the tool ${entry.item.name}:\n${describeIssues(checked.issues)}`,
      )
    const questions = entry.asks && (await entry.asks.resolve(checked.value, call.ctx))
    return questions ?? (await start(entry, call, undefined))
  } catch (error) {
    if (isErrorOf(ToolError, error)) return toolFailure(error.message)
    throw error
  }
}
