import { invalidParams, McpError, methodNotFound } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { relatedTask } from '../../protocol/meta.ts'
import { TaskMethod } from '../../protocol/methods.ts'
import type { TaskDialect } from '../../protocol/revisions/revision.ts'
import type { CallContext } from '../../call/context.ts'
import type { MethodEntry } from '../../call/method-table.ts'
import { complete, type HandlerResult } from '../../call/result.ts'
import { MAX_TIMEOUT_MS } from '../../util/clock.ts'
import type { TaskKey, TaskPosition, TaskRecord } from '../../stores/task-store.ts'
import { taskOwner } from '../../tasks/task-owner.ts'
import { type TaskRunner, unknownTask } from '../../tasks/task-runner.ts'
import { decodeCursor, encodeCursor, invalidCursor } from '../registry/cursor.ts'

export interface TaskMethodOptions {
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
    const dialect = ctx.revision.tasks
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
        // The task has its own limits, and its result has already been limited by its tool.
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

/** The result of the call, with the id of its task. */
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
  // One more than a page shows whether there is a next page.
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
export function requestedTtl(task: unknown): number | undefined {
  if (!isObject(task)) throw invalidParams('The member "task" must be an object')
  const { ttl } = task
  // null requests a task without a time limit, which the server overrides.
  if (ttl === undefined) return undefined
  if (ttl === null) return Number.MAX_SAFE_INTEGER
  if (typeof ttl !== 'number' || !(ttl >= 0))
    throw invalidParams('The member "task.ttl" must be a number, 0 or more')
  return Math.floor(ttl)
}
