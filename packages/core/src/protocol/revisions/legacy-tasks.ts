import type { JsonObject } from '../jsonrpc.ts'
import type { TaskInfo } from '../tasks.ts'
import type { TaskDialect } from './revision.ts'

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks */
export const experimentalTasks: TaskDialect = {
  extension: undefined,
  failsOnToolErrors: true,
  created: (task, meta) => ({ task: shown(task), ...(meta !== undefined && { _meta: meta }) }),
  shown,
}

function shown({ taskId, status, statusMessage, ...task }: TaskInfo): JsonObject {
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttl: task.ttlMs,
    pollInterval: task.pollIntervalMs,
  }
}
