import type { Awaitable } from '../util/promises.ts'
import type { JsonObject, JsonRpcErrorObject } from '../protocol/jsonrpc.ts'
import type { TaskInfo } from '../protocol/tasks.ts'

/** Where a task record is kept. Two owners never share one. */
export interface TaskKey {
  /** Who may know of the task: a principal, or a session of a client that did not authenticate. */
  readonly owner: string
  readonly taskId: string
}

/** One task as plain JSON, so that another node, or a later process, can answer for it. */
export interface TaskRecord extends TaskInfo, TaskKey {
  /** The method of the call that runs as a task. */
  readonly method: string
  /** The revision in which result, error and inputs are spelled. */
  readonly revision: string
  /** The questions to the client's side that are open, by keys that the task never uses twice. */
  readonly inputs?: Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>
  /** What the call has come to, as its own answer would have said it. */
  readonly result?: JsonObject
  /** The JSON-RPC error that the call has come to. */
  readonly error?: JsonRpcErrorObject
}

/** The part of a record that changes. A change replaces all of it: what is left out is gone. */
export type TaskChange = Pick<
  TaskRecord,
  'status' | 'statusMessage' | 'updatedAt' | 'inputs' | 'result' | 'error'
>

/** A place in the list of an owner's tasks, which goes by the time of creation and then by id. */
export type TaskPosition = Pick<TaskRecord, 'createdAt' | 'taskId'>

/**
 * Keeps the records of tasks, bounded in number, in bytes and in time: a record is gone `ttlMs` after its `createdAt`,
 * whatever its status. A full store lets go of tasks that have ended, those that ended the longest ago first, and never
 * of one that has not.
 */
export interface TaskStore {
  /** Resolves to whether there was room. After that `get` finds the task, on every node. */
  create(record: TaskRecord): Awaitable<boolean>
  get(key: TaskKey): Awaitable<TaskRecord | undefined>
  /**
   * Changes a task that has not ended, in one step. Resolves to the record as it is then; to undefined, and changes
   * nothing, where there is no such task or its status is final. Rejects where the change is too large to keep.
   */
  update(key: TaskKey, change: TaskChange): Awaitable<TaskRecord | undefined>
  /** At most `limit` tasks of an owner, those after a position where one is given. It need not be there any more. */
  list(
    owner: string,
    page: { readonly after?: TaskPosition; readonly limit: number },
  ): Awaitable<readonly TaskRecord[]>
  /** Resolves to whether there was one. */
  delete(key: TaskKey): Awaitable<boolean>
}
