import type { Awaitable } from '../util/promises.ts'
import type { JsonObject, JsonRpcErrorObject } from '../protocol/jsonrpc.ts'
import type { TaskInfo } from '../protocol/tasks.ts'

/**
 * The owner of tasks that can be accessed with their id alone: those of all anonymous clients of the extension.
 */
export const ANYONE = 'anyone'

/** The prefix of the owner of tasks of an authenticated caller. All other owners are anonymous. */
export const OF_PRINCIPAL = 'principal:'

/** Whether an owner is not an authenticated caller. All such owners count as one when a store is full. */
export const isAnonymousOwner = (owner: string): boolean => !owner.startsWith(OF_PRINCIPAL)

/** Limits of the number of tasks in a store. */
export interface TaskCounts {
  /** The maximum number of tasks in total. */
  readonly max: number
  /** The maximum number of tasks of one owner, except for anonymous clients of the extension, who share one. */
  readonly maxPerOwner: number
}

/** Returns how many tasks a store keeps for an owner. Anonymous clients of the extension share half of all. */
export function maxTasksOf(owner: string, { max, maxPerOwner }: TaskCounts): number {
  return owner === ANYONE ? Math.max(maxPerOwner, Math.floor(max / 2)) : maxPerOwner
}

/** The key of a task record. Two owners never share one. */
export interface TaskKey {
  /** The owner of the task: a principal, or the session of an anonymous client. */
  readonly owner: string
  readonly taskId: string
}

/** One task as plain JSON, so that another process can continue it. */
export interface TaskRecord extends TaskInfo, TaskKey {
  /** The node that runs the call; omitted if there is only one. */
  readonly node?: string
  /** The method of the call that runs as a task. */
  readonly method: string
  /** The revision of `result`, `error` and `inputs`. */
  readonly revision: string
  /** The open questions, by keys that the task never reuses. */
  readonly inputs?: Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>
  /** The result of the call, as in its response. */
  readonly result?: JsonObject
  /** The JSON-RPC error of the call. */
  readonly error?: JsonRpcErrorObject
}

/** The part of a record that changes. A change replaces all of it: omitted members are removed. */
export type TaskChange = Pick<
  TaskRecord,
  'status' | 'statusMessage' | 'updatedAt' | 'inputs' | 'result' | 'error'
>

/** Returns the record of a task after a change. */
export function changeTask(record: TaskRecord, change: TaskChange): TaskRecord {
  const { statusMessage: _message, inputs: _inputs, ...lasting } = record
  return { ...lasting, ...change }
}

/** A position in the list of an owner's tasks, which is sorted by creation, then by id. */
export type TaskPosition = Pick<TaskRecord, 'createdAt' | 'taskId'>

/**
 * Stores task records, limited in number, bytes and time: a record expires `ttlMs` after its `createdAt`, in
 * every status. A full store drops the ended tasks of each owner in the order in which they ended, and never
 * drops a running one.
 */
export interface TaskStore {
  /** Resolves to false if the store is full. Afterwards `get` finds the task on every node. */
  create(record: TaskRecord): Awaitable<boolean>
  get(key: TaskKey): Awaitable<TaskRecord | undefined>
  /**
   * Changes a running task atomically, and resolves to the new record. Resolves to undefined and changes
   * nothing if there is no such task or its status is final. Rejects if the change is too large.
   */
  update(key: TaskKey, change: TaskChange): Awaitable<TaskRecord | undefined>
  /**
   * Returns at most `limit` tasks of an owner, after a position if given. The task at that position may be
   * gone.
   */
  list(
    owner: string,
    page: { readonly after?: TaskPosition | undefined; readonly limit: number },
  ): Awaitable<readonly TaskRecord[]>
  /** Resolves to whether the task existed. */
  delete(key: TaskKey): Awaitable<boolean>
}
