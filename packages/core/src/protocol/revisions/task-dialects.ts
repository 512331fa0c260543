import type { JsonObject } from '../jsonrpc.ts'
import { shownTask, type TaskInfo } from '../types.ts'
import type { Revision } from './revision.ts'

/** How a revision represents tasks. */
export interface TaskDialect {
  /** Whether a tool result with `isError` makes the task fail. */
  readonly failsOnToolErrors: boolean
  /** Creates the result that is returned instead of the call's own result. */
  created(task: TaskInfo, meta: JsonObject | undefined): JsonObject
  /** Creates the representation of a task in all other messages. */
  shown(task: TaskInfo): JsonObject
}

/** Returns undefined if calls never run as tasks in this revision. */
export const taskDialectOf = ({ tasks }: Pick<Revision, 'tasks'>): TaskDialect | undefined =>
  tasks && DIALECTS[tasks]

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks */
const experimental: TaskDialect = {
  failsOnToolErrors: true,
  created: (task, meta) => ({ task: earlier(task), ...(meta !== undefined && { _meta: meta }) }),
  shown: earlier,
}

/** https://modelcontextprotocol.io/seps/2663-tasks-extension */
const extension: TaskDialect = {
  failsOnToolErrors: false,
  created: later,
  shown: later,
}

const DIALECTS = { experimental, extension }

function earlier(task: TaskInfo): JsonObject {
  return { ...shownTask(task), ttl: task.ttlMs, pollInterval: task.pollIntervalMs }
}

function later(task: TaskInfo): JsonObject {
  return { ...shownTask(task), ttlMs: task.ttlMs, pollIntervalMs: task.pollIntervalMs }
}
