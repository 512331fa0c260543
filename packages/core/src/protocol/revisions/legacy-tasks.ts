import type { JsonObject } from '../jsonrpc.ts'
import { shownTask, type TaskInfo } from '../tasks.ts'
import type { TaskDialect } from './revision.ts'

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks */
export const experimentalTasks: TaskDialect = {
  extension: undefined,
  failsOnToolErrors: true,
  created: (task, meta) => ({ task: shown(task), ...(meta !== undefined && { _meta: meta }) }),
  shown,
}

function shown(task: TaskInfo): JsonObject {
  return { ...shownTask(task), ttl: task.ttlMs, pollInterval: task.pollIntervalMs }
}
