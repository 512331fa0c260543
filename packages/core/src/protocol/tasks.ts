import type { JsonObject } from './jsonrpc.ts'

/** The extension with which clients declare support for tasks, in revisions without tasks of their own. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** The state of a task. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** Whether a tool may, must or must not be called as a task. */
export type TaskSupport = 'forbidden' | 'optional' | 'required'

/** A task as clients see it, before it is adapted to a revision. */
export interface TaskInfo {
  readonly taskId: string
  readonly status: TaskStatus
  /** A text for people and models. */
  readonly statusMessage?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  /** How long the task is kept, in ms from its creation. */
  readonly ttlMs: number
  /** How long a client should wait before it polls again, in ms. */
  readonly pollIntervalMs: number
}

/** The members of a task that every revision shows. */
export const shownTask = ({ taskId, status, statusMessage, createdAt, updatedAt }: TaskInfo): JsonObject => ({
  taskId,
  status,
  ...(statusMessage !== undefined && { statusMessage }),
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(updatedAt).toISOString(),
})

/** Whether a task never leaves this state. */
export const isFinal = (status: TaskStatus): boolean => status !== 'working' && status !== 'input_required'
