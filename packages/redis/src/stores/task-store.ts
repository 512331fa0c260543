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
import { hashOf, type Keys, sha1, type TaskKeys } from '../keys.ts'
import { CREATE_TASK, DELETE_TASK, GET_TASK, LIST_TASKS, UPDATE_TASK } from '../scripts/tasks.ts'
import { readTask } from './read-records.ts'

/** The limits of the task store, which all nodes share. */
export interface RedisTaskLimits {
  /** The maximum number of tasks. @default 1_000 */
  readonly max?: number
  /**
   * The maximum number of tasks per owner. Anonymous clients of the tasks extension share one owner, which
   * may have half of `max`.
   *
   * @default 100
   */
  readonly maxPerOwner?: number
  /** The maximum size of all records as JSON, in bytes. @default 67_108_864 */
  readonly maxBytes?: number
}

/** Stores all tasks in one slot, so that scripts can enforce exact limits. */
export class RedisTaskStore implements TaskStore {
  readonly #commands: Commands
  readonly #keys: TaskKeys
  readonly #server: string
  readonly #limits: Required<RedisTaskLimits>

  /** @param server - the name that all servers with access to these tasks have */
  constructor(commands: Commands, keys: Keys, limits: RedisTaskLimits = {}, server = '') {
    this.#commands = commands
    this.#keys = keys.tasks
    this.#server = server
    this.#limits = { max: 1_000, maxPerOwner: 100, maxBytes: 64 * 1024 * 1024, ...limits }
  }

  async create(record: TaskRecord): Promise<boolean> {
    const { taskId, owner, createdAt, ttlMs } = record
    // Pass the remaining time to Redis, because its clock may differ from this node's.
    const left = createdAt + ttlMs - Date.now()
    const created = await this.#commands.script(CREATE_TASK, this.#keys, [
      taskId,
      this.#ownerOf(owner),
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
    const text = await this.#text(key)
    return text === undefined ? undefined : readTask(text, key)
  }

  async update(key: TaskKey, change: TaskChange): Promise<TaskRecord | undefined> {
    // The loop repeats only if another node has changed the task, and at the latest ends when the task ends.
    for (;;) {
      const known = await this.#text(key)
      const before = known === undefined ? undefined : readTask(known, key)
      if (known === undefined || before === undefined || isFinal(before.status)) return undefined
      const record = changeTask(before, change)
      const text = JSON.stringify(record)
      const same = [key.taskId, this.#ownerOf(key.owner), sha1(known)]
      const args = [...same, text, isFinal(record.status) ? 1 : 0, this.#limits.maxBytes]
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
    const [records, heads, owners] = this.#keys
    const hash = this.#ownerOf(owner)
    const position = after === undefined ? hash : hash + digits(after.createdAt) + after.taskId
    const args = [hash, position, limit]
    const texts = await this.#commands.script(LIST_TASKS, [records, heads, owners], args)
    return (texts as readonly string[]).flatMap((text) => readTask(text, { owner }) ?? [])
  }

  async delete({ owner, taskId }: TaskKey): Promise<boolean> {
    return (await this.#commands.script(DELETE_TASK, this.#keys, [taskId, this.#ownerOf(owner)])) === 1
  }

  async #text({ owner, taskId }: TaskKey): Promise<string | undefined> {
    const [records, heads] = this.#keys
    const text = await this.#commands.script(GET_TASK, [records, heads], [taskId, this.#ownerOf(owner)])
    return typeof text === 'string' ? text : undefined
  }

  /**
   * Hashes an owner together with the server's name. The first character marks anonymous owners, who count as
   * a single owner when the store is full.
   */
  #ownerOf(owner: string): string {
    return `${isAnonymousOwner(owner) ? '~' : '='}${hashOf(`${this.#server.length}:${this.#server}${owner}`)}`
  }
}

const digits = (ms: number): string => String(ms).padStart(15, '0')
