import type { JsonObject } from '../jsonrpc.ts'
import { shownTask, type TaskInfo, TASKS_EXTENSION } from '../types.ts'
import type { TaskDialect } from './revision.ts'

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks */
export const experimentalTasks: TaskDialect | undefined = {
  extension: undefined,
  failsOnToolErrors: true,
  created: (task, meta) => ({ task: earlier(task), ...(meta !== undefined && { _meta: meta }) }),
  shown: earlier,
}

/** https://modelcontextprotocol.io/seps/2663-tasks-extension */
export const extensionTasks: TaskDialect | undefined = {
  extension: TASKS_EXTENSION,
  failsOnToolErrors: false,
  created: later,
  shown: later,
}

function earlier(task: TaskInfo): JsonObject {
  return { ...shownTask(task), ttl: task.ttlMs, pollInterval: task.pollIntervalMs }
}

function later(task: TaskInfo): JsonObject {
  return { ...shownTask(task), ttlMs: task.ttlMs, pollIntervalMs: task.pollIntervalMs }
}
