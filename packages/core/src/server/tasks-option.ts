import { createTaskFeature, type TaskFeature } from '../features/tasks/task-feature.ts'
import type { Dispatcher } from '../call/dispatcher.ts'
import { MemoryTaskStore } from '../stores/memory-task-store.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import type { TaskKey } from '../stores/task-store.ts'
import { DEFAULT_TASK_LIMITS, type TaskLimits, TaskRunner } from '../tasks/task-runner.ts'
import { check, checkNumbers, withDefaults } from '../util/check-options.ts'
import type { TaskOptions } from './options.ts'
import type { HandlerTimes } from './resolve-options.ts'

/** The maximum number of running tasks of all anonymous clients: half of an in-memory store. */
const MAX_ANONYMOUS = 500

/** The parts of the server that tasks use, from the first task on. */
interface TaskHost {
  runtime(): ServerRuntime
  /** Whether clients can subscribe to tasks. */
  notifies(): boolean
  createDispatcher(times: HandlerTimes): Dispatcher
  onStored(key: TaskKey): void
}

/**
 * Creates the runner with the first task. Calls of tasks are limited only by the TTL of the task or the timeout
 * of the tool.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function createTasks(given: TaskOptions | undefined, host: TaskHost): TaskFeature {
  const limits = taskLimits(given)
  const { maxTtlMs } = limits
  let tasks: TaskRunner | undefined
  const create = (): TaskRunner => {
    const runtime = host.runtime()
    const { clock, random, logger, shared, bus } = runtime
    const created = new TaskRunner({
      store: given?.store ?? shared?.tasks ?? new MemoryTaskStore({ clock }),
      dispatcher: host.createDispatcher({ handlerTimeoutMs: maxTtlMs, maxHandlerTimeoutMs: maxTtlMs }),
      clock,
      random,
      nodes: shared?.nodes,
      bus,
      logger,
      limits,
      maxRunning: runtime.limits.running,
      maxAnonymous: Math.min(runtime.limits.anonymous.running, MAX_ANONYMOUS),
      // Calls on other nodes may wait for a task.
      ...((host.notifies() || shared !== undefined) && { onStored: (key: TaskKey) => host.onStored(key) }),
    })
    runtime.attach(created)
    return created
  }
  return createTaskFeature(() => (tasks ??= create()))
}

function taskLimits(options: TaskOptions = {}): TaskLimits {
  const limits = withDefaults(DEFAULT_TASK_LIMITS, options)
  const defaultTtlMs = options.defaultTtlMs ?? Math.min(limits.defaultTtlMs, limits.maxTtlMs)
  checkNumbers('tasks.', limits)
  check('tasks.defaultTtlMs', defaultTtlMs <= limits.maxTtlMs, 'must be tasks.maxTtlMs or less')
  return { ...limits, defaultTtlMs }
}
