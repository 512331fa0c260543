import type { Awaitable } from '../util/promises.ts'
import type { JsonObject, JsonRpcErrorObject } from '../protocol/jsonrpc.ts'
import { isFinal, type TaskInfo } from '../protocol/types.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { utf8Length } from '../util/bytes.ts'

/**
 * The owner of tasks that anonymous clients of the extension started. Knowing a task's id is enough to access
 * the task.
 */
export const ANYONE = 'anyone'

/** The prefix of owners that are authenticated callers. All other owners are anonymous. */
export const OF_PRINCIPAL = 'principal:'

/** Returns whether an owner is anonymous. When a store is full, all anonymous owners count as one. */
export const isAnonymousOwner = (owner: string): boolean => !owner.startsWith(OF_PRINCIPAL)

/** Limits on the number of tasks in a store. */
export interface TaskCounts {
  /** The maximum number of tasks in total. */
  readonly max: number
  /** The maximum number of tasks per owner, except for anonymous clients of the extension, who share one owner. */
  readonly maxPerOwner: number
}

/**
 * Returns the maximum number of tasks for an owner. Anonymous clients of the extension together may have half
 * of the total.
 */
export function maxTasksOf(owner: string, { max, maxPerOwner }: TaskCounts): number {
  return owner === ANYONE ? Math.max(maxPerOwner, Math.floor(max / 2)) : maxPerOwner
}

/** The key of a task record. Two owners never share a key. */
export interface TaskKey {
  /** The owner of the task: a principal, or the session of an anonymous client. */
  readonly owner: string
  readonly taskId: string
}

/** One task as plain JSON, so that another process can continue it. */
export interface TaskRecord extends TaskInfo, TaskKey {
  /** The node that runs the call; omitted if there is only one node. */
  readonly node?: string
  /** The method of the call that runs as a task. */
  readonly method: string
  /** The revision in which `result`, `error` and `inputs` are encoded. */
  readonly revision: string
  /** The open questions, keyed by question key. The task never reuses a key. */
  readonly inputs?: Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>
  /** The call's result, in the same form as in its response. */
  readonly result?: JsonObject
  /** The call's JSON-RPC error. */
  readonly error?: JsonRpcErrorObject
}

/** The part of a record that changes. A change replaces this whole part, so omitted fields are removed. */
export type TaskChange = Pick<
  TaskRecord,
  'status' | 'statusMessage' | 'updatedAt' | 'inputs' | 'result' | 'error'
>

/** Returns a task's record after a change. */
export function changeTask(record: TaskRecord, change: TaskChange): TaskRecord {
  const { statusMessage: _message, inputs: _inputs, ...lasting } = record
  return { ...lasting, ...change }
}

/** A position in the list of an owner's tasks. The list is sorted by creation time, then by id. */
export type TaskPosition = Pick<TaskRecord, 'createdAt' | 'taskId'>

/**
 * Stores task records. Their number, size and lifetime are limited: a record expires `ttlMs` after its
 * `createdAt`, regardless of its status. A full store drops each owner's ended tasks in the order in which they
 * ended. It never drops a running task.
 */
export interface TaskStore {
  /** Stores a record, so that `get` finds it on every node. Resolves to false if the store is full. */
  create(record: TaskRecord): Awaitable<boolean>
  get(key: TaskKey): Awaitable<TaskRecord | undefined>
  /**
   * Changes a running task atomically. Resolves to the new record. Resolves to undefined if there is no such
   * task or its status is final. Rejects if the change is too large.
   */
  update(key: TaskKey, change: TaskChange): Awaitable<TaskRecord | undefined>
  /**
   * Returns at most `limit` of an owner's tasks, after a position if one is given. The task at that position
   * may have been removed.
   */
  list(
    owner: string,
    page: { readonly after?: TaskPosition | undefined; readonly limit: number },
  ): Awaitable<readonly TaskRecord[]>
  /** Deletes a task. Resolves to whether the task existed. */
  delete(key: TaskKey): Awaitable<boolean>
}

/** Limits on a {@link MemoryTaskStore}. A record that would exceed these limits is rejected. */
export interface MemoryTaskStoreOptions {
  /** The maximum number of tasks. @default 1_000 */
  readonly max?: number
  /**
   * The maximum number of tasks per owner. Anonymous clients of the tasks extension share one owner, which can have
   * half of `max`.
   *
   * @default 100
   */
  readonly maxPerOwner?: number
  /**
   * The maximum size of all records as JSON, in bytes. The running tasks of one caller can use half of it.
   * @default 67_108_864
   */
  readonly maxBytes?: number
  readonly clock?: Clock
}

interface Entry {
  readonly record: TaskRecord
  readonly bytes: number
}

/**
 * Stores task records in this process. When it is full, it drops an ended task of the caller with the most
 * bytes, so that a caller cannot cause the results of others to be dropped. No timer is needed for expiry,
 * because it is checked on access.
 */
export class MemoryTaskStore implements TaskStore {
  readonly #limits: Required<Omit<MemoryTaskStoreOptions, 'clock'>>
  readonly #clock: Clock
  /**
   * The records, keyed by task id. A task moves to the end when it ends, so ended tasks are sorted by the
   * time at which they ended.
   */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor({ clock = systemClock, ...limits }: MemoryTaskStoreOptions = {}) {
    this.#limits = { max: 1_000, maxPerOwner: 100, maxBytes: 64 * 1024 * 1024, ...limits }
    this.#clock = clock
  }

  /** The number of records, including expired records that have not been removed yet. */
  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  create(record: TaskRecord): boolean {
    this.#sweep()
    const { owner, taskId } = record
    const bytes = sizeOf(record)
    if (this.#entries.has(taskId)) return false
    if (
      this.#of(owner).length >= maxTasksOf(owner, this.#limits) &&
      !this.#dropFirstEnded((it) => it.owner === owner)
    )
      return false
    if (this.size >= this.#limits.max && !this.#dropEnded(countOf)) return false
    if (!this.#makeRoom(record, bytes)) return false
    this.#entries.set(taskId, { record, bytes })
    this.#bytes += bytes
    return true
  }

  get({ owner, taskId }: TaskKey): TaskRecord | undefined {
    const record = this.#entries.get(taskId)?.record
    if (record === undefined || record.owner !== owner) return undefined
    if (!this.#expired(record)) return record
    this.#remove(taskId)
    return undefined
  }

  update(key: TaskKey, change: TaskChange): TaskRecord | undefined {
    const before = this.get(key)
    const entry = this.#entries.get(key.taskId)
    if (before === undefined || entry === undefined || isFinal(before.status)) return undefined
    const record = changeTask(before, change)
    const bytes = sizeOf(record)
    if (!this.#makeRoom(record, bytes, entry.bytes))
      throw new RangeError(`The store has no room for a task of ${bytes} bytes`)
    this.#bytes += bytes - entry.bytes
    if (isFinal(record.status)) this.#entries.delete(key.taskId)
    this.#entries.set(key.taskId, { record, bytes })
    return record
  }

  list(
    owner: string,
    { after, limit }: { readonly after?: TaskPosition | undefined; readonly limit: number },
  ): readonly TaskRecord[] {
    return this.#of(owner)
      .filter((record) => !this.#expired(record) && (after === undefined || compare(record, after) > 0))
      .toSorted(compare)
      .slice(0, limit)
  }

  delete(key: TaskKey): boolean {
    const known = this.get(key) !== undefined
    if (known) this.#remove(key.taskId)
    return known
  }

  #of(owner: string): readonly TaskRecord[] {
    return Array.from(this.#entries.values(), ({ record }) => record).filter((it) => it.owner === owner)
  }

  #expired({ createdAt, ttlMs }: TaskRecord): boolean {
    return createdAt + ttlMs <= this.#clock.now()
  }

  #remove(taskId: string): void {
    this.#bytes -= this.#entries.get(taskId)?.bytes ?? 0
    this.#entries.delete(taskId)
  }

  /** Removes expired records. Checks all records, because their number is limited and tasks rarely start. */
  #sweep(): void {
    for (const [taskId, { record }] of this.#entries) if (this.#expired(record)) this.#remove(taskId)
  }

  /** Drops ended tasks until a record fits. `before` is the record's previous size in bytes. */
  #makeRoom(record: TaskRecord, bytes: number, before = 0): boolean {
    const { maxBytes } = this.#limits
    if (bytes > maxBytes) return false
    if (!isFinal(record.status) && this.#runningBytes(holderOf(record)) - before + bytes > maxBytes / 2)
      return false
    while (this.#bytes - before + bytes > maxBytes) if (!this.#dropEnded(bytesOf)) return false
    return true
  }

  #runningBytes(holder: string): number {
    let sum = 0
    for (const { record, bytes } of this.#entries.values())
      if (holderOf(record) === holder && !isFinal(record.status)) sum += bytes
    return sum
  }

  /** Drops an ended task of the largest owner, as measured by `size`. Returns false if no task has ended. */
  #dropEnded(size: (entry: Entry) => number): boolean {
    const held = new Map<string, number>()
    const holders = new Set<string>()
    for (const entry of this.#entries.values()) {
      const holder = holderOf(entry.record)
      held.set(holder, (held.get(holder) ?? 0) + size(entry))
      if (isFinal(entry.record.status)) holders.add(holder)
    }
    const [first, ...others] = holders
    if (first === undefined) return false
    const most = others.reduce((a, b) => ((held.get(b) ?? 0) > (held.get(a) ?? 0) ? b : a), first)
    return this.#dropFirstEnded((record) => holderOf(record) === most)
  }

  /** Drops the task that ended first. Returns false if no task has ended. */
  #dropFirstEnded(among: (record: TaskRecord) => boolean): boolean {
    for (const [taskId, { record }] of this.#entries) {
      if (!isFinal(record.status) || !among(record)) continue
      this.#remove(taskId)
      return true
    }
    return false
  }
}

/** Returns the same key for all anonymous owners, because a client can open any number of sessions. */
const holderOf = ({ owner }: TaskRecord): string => (isAnonymousOwner(owner) ? ANYONE : owner)
const countOf = (): number => 1
const bytesOf = ({ bytes }: Entry): number => bytes

const sizeOf = (record: TaskRecord): number => utf8Length(JSON.stringify(record))

const compare = (a: TaskPosition, b: TaskPosition): number =>
  a.createdAt - b.createdAt || (a.taskId < b.taskId ? -1 : Number(a.taskId > b.taskId))
