import type { JsonObject } from '../jsonrpc.ts'
import { TASKS_EXTENSION, type TaskInfo } from '../tasks.ts'
import type { TaskDialect } from './revision.ts'

/** https://modelcontextprotocol.io/seps/2663-tasks-extension */
export const extensionTasks: TaskDialect = {
  extension: TASKS_EXTENSION,
  failsOnToolErrors: false,
  created: (task) => shown(task),
  shown,
}

function shown({ taskId, status, statusMessage, ...task }: TaskInfo): JsonObject {
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: task.pollIntervalMs,
  }
}
