import type { JsonObject } from '../jsonrpc.ts'
import { shownTask, type TaskInfo, TASKS_EXTENSION } from '../tasks.ts'
import type { TaskDialect } from './revision.ts'

/** https://modelcontextprotocol.io/seps/2663-tasks-extension */
export const extensionTasks: TaskDialect = {
  extension: TASKS_EXTENSION,
  failsOnToolErrors: false,
  created: (task) => shown(task),
  shown,
}

function shown(task: TaskInfo): JsonObject {
  return { ...shownTask(task), ttlMs: task.ttlMs, pollIntervalMs: task.pollIntervalMs }
}
