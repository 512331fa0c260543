import type { TaskRunner } from '../../tasks/task-runner.ts'
import type { ToolTasks, ToolTasksOptions } from '../tools/tool-call.ts'
import { TaskCalls } from './task-calls.ts'
import { type TaskMethodOptions, taskMethods } from './task-methods.ts'

/** Runs tool calls as tasks. */
export interface TaskFeature {
  /** Creates the runner with the first task. */
  readonly runner: () => TaskRunner
  calls(options: ToolTasksOptions): ToolTasks
  methods(options: Omit<TaskMethodOptions, 'tasks'>): ReturnType<typeof taskMethods>
}

export const createTaskFeature = (tasks: () => TaskRunner): TaskFeature => ({
  runner: tasks,
  calls: (options) => new TaskCalls({ ...options, tasks }),
  methods: (options) => taskMethods({ ...options, tasks }),
})
