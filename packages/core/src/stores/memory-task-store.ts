import { isFinal } from '../protocol/tasks.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import type { TaskChange, TaskKey, TaskPosition, TaskRecord, TaskStore } from './task-store.ts'
import { utf8Length } from '../util/bytes.ts'

/** Limits of a {@link MemoryTaskStore}. Records beyond them are refused. */
export interface MemoryTaskStoreOptions {
  /** Tasks in total. @default 1_000 */
  readonly max?: number
  /** Tasks of one owner. @default 100 */
  readonly maxPerOwner?: number
  /** Bytes of all records as JSON. @default 67_108_864 */
  readonly maxBytes?: number
  readonly clock?: Clock
}

interface Entry {
  record: TaskRecord
  bytes: number
}

/** Stores task records in this process. Expiry needs no timer: it happens on access. */
export class MemoryTaskStore implements TaskStore {
  readonly #max: number
  readonly #maxPerOwner: number
  readonly #maxBytes: number
  readonly #clock: Clock
  /** By id. Running tasks in the order of their creation, ended ones in the order of their end. */
  readonly #open = new Map<string, Entry>()
  readonly #ended = new Map<string, Entry>()
  readonly #perOwner = new Map<string, Set<string>>()
  #bytes = 0

  constructor({
    max = 1_000,
    maxPerOwner = 100,
    maxBytes = 64 * 1024 * 1024,
    clock = systemClock,
  }: MemoryTaskStoreOptions = {}) {
    this.#max = max
    this.#maxPerOwner = maxPerOwner
    this.#maxBytes = maxBytes
    this.#clock = clock
  }

  /** Includes expired records that are not removed yet. */
  get size(): number {
    return this.#open.size + this.#ended.size
  }

  /** The size of all records in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  create(record: TaskRecord): boolean {
    this.#sweep()
    const { owner, taskId } = record
    const bytes = sizeOf(record)
    if (this.#open.has(taskId) || this.#ended.has(taskId)) return false
    if (!this.#makeRoom(owner, bytes)) return false
    this.#open.set(taskId, { record, bytes })
    this.#bytes += bytes
    this.#perOwner.set(owner, (this.#perOwner.get(owner) ?? new Set()).add(taskId))
    return true
  }

  get({ owner, taskId }: TaskKey): TaskRecord | undefined {
    const record = this.#entry(taskId)?.record
    if (record === undefined || record.owner !== owner) return undefined
    if (!this.#expired(record)) return record
    this.#remove(taskId)
    return undefined
  }

  update(key: TaskKey, change: TaskChange): TaskRecord | undefined {
    const before = this.get(key)
    const entry = this.#open.get(key.taskId)
    if (before === undefined || entry === undefined) return undefined
    const { statusMessage: _message, inputs: _inputs, ...lasting } = before
    const record: TaskRecord = { ...lasting, ...change }
    const bytes = sizeOf(record)
    if (!this.#fits(bytes, entry.bytes))
      throw new RangeError(`The store has no room for a task of ${bytes} bytes`)
    this.#bytes += bytes - entry.bytes
    entry.record = record
    entry.bytes = bytes
    if (isFinal(record.status)) {
      this.#open.delete(key.taskId)
      this.#ended.set(key.taskId, entry)
    }
    return record
  }

  list(
    owner: string,
    { after, limit }: { readonly after?: TaskPosition; readonly limit: number },
  ): readonly TaskRecord[] {
    const records: TaskRecord[] = []
    for (const taskId of this.#perOwner.get(owner) ?? []) {
      const record = this.get({ owner, taskId })
      if (record !== undefined && (after === undefined || compare(record, after) > 0)) records.push(record)
    }
    return records.toSorted(compare).slice(0, limit)
  }

  delete(key: TaskKey): boolean {
    const known = this.get(key) !== undefined
    if (known) this.#remove(key.taskId)
    return known
  }

  #entry(taskId: string): Entry | undefined {
    return this.#open.get(taskId) ?? this.#ended.get(taskId)
  }

  #expired({ createdAt, ttlMs }: TaskRecord): boolean {
    return createdAt + ttlMs <= this.#clock.now()
  }

  #remove(taskId: string): void {
    const entry = this.#entry(taskId)
    if (entry === undefined) return
    this.#open.delete(taskId)
    this.#ended.delete(taskId)
    this.#bytes -= entry.bytes
    const { owner } = entry.record
    const owned = this.#perOwner.get(owner)
    owned?.delete(taskId)
    if (owned?.size === 0) this.#perOwner.delete(owner)
  }

  /** Checks all records: their number is limited, and tasks start rarely. */
  #sweep(): void {
    for (const entries of [this.#open, this.#ended])
      for (const [taskId, { record }] of entries) if (this.#expired(record)) this.#remove(taskId)
  }

  #makeRoom(owner: string, bytes: number): boolean {
    const owned = this.#perOwner.get(owner)
    if (owned !== undefined && owned.size >= this.#maxPerOwner) {
      const ended = [...this.#ended.keys()].find((taskId) => owned.has(taskId))
      if (ended === undefined) return false
      this.#remove(ended)
    }
    if (this.size >= this.#max) this.#removeFirst(this.#ended.keys())
    return this.size < this.#max && this.#fits(bytes, 0)
  }

  /** Drops ended tasks until a record that has grown fits. */
  #fits(bytes: number, before: number): boolean {
    if (bytes > this.#maxBytes) return false
    while (this.#ended.size > 0 && this.#bytes - before + bytes > this.#maxBytes)
      this.#removeFirst(this.#ended.keys())
    return this.#bytes - before + bytes <= this.#maxBytes
  }

  #removeFirst(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) {
      this.#remove(taskId)
      return
    }
  }
}

const sizeOf = (record: TaskRecord): number => utf8Length(JSON.stringify(record))

const compare = (a: TaskPosition, b: TaskPosition): number =>
  a.createdAt - b.createdAt || (a.taskId < b.taskId ? -1 : Number(a.taskId > b.taskId))
