import { isFinal } from '@jetway/core/protocol'
import {
  changeTask,
  isAnonymousOwner,
  maxTasksOf,
  type TaskChange,
  type TaskKey,
  type TaskPosition,
  type TaskRecord,
  type TaskStore,
} from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import { hashOf, type Keys, type TaskKeys } from '../keys.ts'
import { CREATE_TASK, DELETE_TASK, GET_TASK, LIST_TASKS, TASK_HEAD, UPDATE_TASK } from '../scripts/tasks.ts'

/** Limits of the task store, shared by all nodes. */
export interface RedisTaskLimits {
  /** The maximum number of tasks. @default 1_000 */
  readonly max?: number
  /**
   * The maximum number of tasks per owner. Anonymous clients of the tasks extension share one owner, with
   * half of `max`.
   *
   * @default 100
   */
  readonly maxPerOwner?: number
  /** The maximum size of all records as JSON, in bytes. @default 67_108_864 */
  readonly maxBytes?: number
}

/** Stores all tasks in one slot, so that scripts enforce the limits exactly. */
export class RedisTaskStore implements TaskStore {
  readonly #commands: Commands
  readonly #keys: TaskKeys
  readonly #limits: Required<RedisTaskLimits>

  constructor(commands: Commands, keys: Keys, limits: RedisTaskLimits = {}) {
    this.#commands = commands
    this.#keys = keys.tasks
    this.#limits = { max: 1_000, maxPerOwner: 100, maxBytes: 64 * 1024 * 1024, ...limits }
  }

  async create(record: TaskRecord): Promise<boolean> {
    const { taskId, owner, createdAt, ttlMs } = record
    // Redis gets the remaining time, because its clock may differ.
    const left = createdAt + ttlMs - Date.now()
    const created = await this.#commands.script(CREATE_TASK, this.#keys, [
      taskId,
      ownerOf(owner),
      digits(createdAt),
      Math.ceil(left),
      JSON.stringify(record),
      this.#limits.max,
      maxTasksOf(owner, this.#limits),
      this.#limits.maxBytes,
    ])
    return created === 1
  }

  async get(key: TaskKey): Promise<TaskRecord | undefined> {
    const value = await this.#value(key)
    return value === undefined ? undefined : recordOf(value)
  }

  async update(key: TaskKey, change: TaskChange): Promise<TaskRecord | undefined> {
    // Another round is needed only if another node has changed the task. The loop ends when the task ends at
    // the latest.
    for (;;) {
      const value = await this.#value(key)
      const before = value === undefined ? undefined : recordOf(value)
      if (value === undefined || before === undefined || isFinal(before.status)) return undefined
      const record = changeTask(before, change)
      const text = JSON.stringify(record)
      const args = [key.taskId, value, text, isFinal(record.status) ? 1 : 0, this.#limits.maxBytes]
      const updated = await this.#commands.script(UPDATE_TASK, this.#keys, args)
      if (updated === 1) return record
      if (updated === -1)
        throw new RangeError(`The store has no room for a task of ${Buffer.byteLength(text)} bytes`)
    }
  }

  async list(
    owner: string,
    { after, limit }: { readonly after?: TaskPosition | undefined; readonly limit: number },
  ): Promise<readonly TaskRecord[]> {
    const [records, owners] = this.#keys
    const hash = ownerOf(owner)
    const position = after === undefined ? hash : hash + digits(after.createdAt) + after.taskId
    const values = await this.#commands.script(LIST_TASKS, [records, owners], [hash, position, limit])
    return (values as readonly string[]).map(recordOf)
  }

  async delete({ owner, taskId }: TaskKey): Promise<boolean> {
    return (await this.#commands.script(DELETE_TASK, this.#keys, [taskId, ownerOf(owner)])) === 1
  }

  async #value({ owner, taskId }: TaskKey): Promise<string | undefined> {
    const value = await this.#commands.script(GET_TASK, [this.#keys[0]], [taskId, ownerOf(owner)])
    return typeof value === 'string' ? value : undefined
  }
}

const recordOf = (value: string): TaskRecord => JSON.parse(value.slice(TASK_HEAD)) as TaskRecord

/** Hashes an owner. The first character marks anonymous owners, which count as one when the store is full. */
const ownerOf = (owner: string): string => `${isAnonymousOwner(owner) ? '~' : '='}${hashOf(owner)}`

const digits = (ms: number): string => String(ms).padStart(15, '0')
