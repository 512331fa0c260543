import { isFinal } from '../protocol/tasks.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import {
  ANYONE,
  type TaskChange,
  type TaskKey,
  type TaskPosition,
  type TaskRecord,
  type TaskStore,
} from './task-store.ts'
import { utf8Length } from '../util/bytes.ts'

/** Limits of a {@link MemoryTaskStore}. Records beyond them are refused. */
export interface MemoryTaskStoreOptions {
  /** Tasks in total. @default 1_000 */
  readonly max?: number
  /** Tasks of one owner. Anonymous clients of the tasks extension, which share one owner, have half of `max`. @default 100 */
  readonly maxPerOwner?: number
  /** Bytes of all records as JSON. @default 67_108_864 */
  readonly maxBytes?: number
  readonly clock?: Clock
}

interface Entry {
  readonly record: TaskRecord
  readonly bytes: number
}

/** Stores task records in this process. Expiry needs no timer: it happens on access. */
export class MemoryTaskStore implements TaskStore {
  readonly #limits: Required<Omit<MemoryTaskStoreOptions, 'clock'>>
  readonly #clock: Clock
  /** By id. A task moves to the end when it ends, so the first ended one is the one that ended first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor({ clock = systemClock, ...limits }: MemoryTaskStoreOptions = {}) {
    this.#limits = { max: 1_000, maxPerOwner: 100, maxBytes: 64 * 1024 * 1024, ...limits }
    this.#clock = clock
  }

  /** Includes expired records that are not removed yet. */
  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  create(record: TaskRecord): boolean {
    this.#sweep()
    const { owner, taskId } = record
    const { max } = this.#limits
    const bytes = sizeOf(record)
    if (this.#entries.has(taskId)) return false
    if (this.#of(owner).length >= this.#maxOf(owner) && !this.#dropEnded(owner)) return false
    if (this.size >= max && !this.#dropEnded()) return false
    if (!this.#makeRoom(bytes, 0)) return false
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
    const { statusMessage: _message, inputs: _inputs, ...lasting } = before
    const record: TaskRecord = { ...lasting, ...change }
    const bytes = sizeOf(record)
    if (!this.#makeRoom(bytes, entry.bytes))
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

  #maxOf(owner: string): number {
    const { max, maxPerOwner } = this.#limits
    return owner === ANYONE ? Math.max(maxPerOwner, Math.floor(max / 2)) : maxPerOwner
  }

  #expired({ createdAt, ttlMs }: TaskRecord): boolean {
    return createdAt + ttlMs <= this.#clock.now()
  }

  #remove(taskId: string): void {
    this.#bytes -= this.#entries.get(taskId)?.bytes ?? 0
    this.#entries.delete(taskId)
  }

  /** Checks all records: their number is limited, and tasks start rarely. */
  #sweep(): void {
    for (const [taskId, { record }] of this.#entries) if (this.#expired(record)) this.#remove(taskId)
  }

  /** Drops ended tasks until a record fits, which had this many bytes before. */
  #makeRoom(bytes: number, before: number): boolean {
    const { maxBytes } = this.#limits
    if (bytes > maxBytes) return false
    while (this.#bytes - before + bytes > maxBytes) if (!this.#dropEnded()) return false
    return true
  }

  /** Drops the task that ended first, of one owner if given; false if none has ended. */
  #dropEnded(owner?: string): boolean {
    for (const [taskId, { record }] of this.#entries) {
      if (!isFinal(record.status) || (owner !== undefined && record.owner !== owner)) continue
      this.#remove(taskId)
      return true
    }
    return false
  }
}

const sizeOf = (record: TaskRecord): number => utf8Length(JSON.stringify(record))

const compare = (a: TaskPosition, b: TaskPosition): number =>
  a.createdAt - b.createdAt || (a.taskId < b.taskId ? -1 : Number(a.taskId > b.taskId))
