import { isFinal } from '../protocol/tasks.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import {
  ANYONE,
  changeTask,
  isAnonymousOwner,
  maxTasksOf,
  type TaskChange,
  type TaskKey,
  type TaskPosition,
  type TaskRecord,
  type TaskStore,
} from './task-store.ts'
import { utf8Length } from '../util/bytes.ts'

/** Limits of a {@link MemoryTaskStore}. Records beyond them are refused. */
export interface MemoryTaskStoreOptions {
  /** The maximum number of tasks. @default 1_000 */
  readonly max?: number
  /**
   * The maximum number of tasks of one owner. Anonymous clients of the tasks extension, which share one owner,
   * have half of `max`.
   *
   * @default 100
   */
  readonly maxPerOwner?: number
  /**
   * The maximum size of all records as JSON, in bytes. The running tasks of one caller have half of it.
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
 * bytes, so that no caller can drop the results of others. Expiry needs no timer, because it is checked on
 * access.
 */
export class MemoryTaskStore implements TaskStore {
  readonly #limits: Required<Omit<MemoryTaskStoreOptions, 'clock'>>
  readonly #clock: Clock
  /**
   * The records by id. A task moves to the end when it ends, so the first ended one is the one that ended
   * first.
   */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor({ clock = systemClock, ...limits }: MemoryTaskStoreOptions = {}) {
    this.#limits = { max: 1_000, maxPerOwner: 100, maxBytes: 64 * 1024 * 1024, ...limits }
    this.#clock = clock
  }

  /** Includes expired records that have not been removed. */
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

  /** Checks all records, because their number is limited and tasks start rarely. */
  #sweep(): void {
    for (const [taskId, { record }] of this.#entries) if (this.#expired(record)) this.#remove(taskId)
  }

  /** Drops ended tasks until a record fits that had this many bytes before. */
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

  /** Drops a task of the largest owner with ended tasks. Returns false if none has ended. */
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

  /** Drops the task that ended first. Returns false if none has ended. */
  #dropFirstEnded(among: (record: TaskRecord) => boolean): boolean {
    for (const [taskId, { record }] of this.#entries) {
      if (!isFinal(record.status) || !among(record)) continue
      this.#remove(taskId)
      return true
    }
    return false
  }
}

/** All anonymous owners count as one, because a client can open any number of sessions. */
const holderOf = ({ owner }: TaskRecord): string => (isAnonymousOwner(owner) ? ANYONE : owner)
const countOf = (): number => 1
const bytesOf = ({ bytes }: Entry): number => bytes

const sizeOf = (record: TaskRecord): number => utf8Length(JSON.stringify(record))

const compare = (a: TaskPosition, b: TaskPosition): number =>
  a.createdAt - b.createdAt || (a.taskId < b.taskId ? -1 : Number(a.taskId > b.taskId))
