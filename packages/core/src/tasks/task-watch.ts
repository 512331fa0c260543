import type { TaskKey, TaskRecord } from '../stores/task-store.ts'

export interface TaskWatchOptions {
  /** Resolves to undefined for a task that is not there any more. */
  readonly read: (key: TaskKey) => Promise<TaskRecord | undefined>
  /** Hears of a read that failed. Must not throw. */
  readonly onError: (error: unknown) => void
}

/** Reads tasks that have changed, each by one read at a time: changes that come meanwhile are told of together. */
export class TaskWatch {
  readonly #options: TaskWatchOptions
  readonly #reading = new Map<string, 'once' | 'again'>()

  constructor(options: TaskWatchOptions) {
    this.#options = options
  }

  /** Gives the task as it is now, or a moment later, to `tell`. */
  refresh(key: TaskKey, tell: (record: TaskRecord) => void): void {
    const { taskId } = key
    if (this.#reading.has(taskId)) this.#reading.set(taskId, 'again')
    else void this.#read(key, tell)
  }

  async #read(key: TaskKey, tell: (record: TaskRecord) => void): Promise<void> {
    const { taskId } = key
    do {
      this.#reading.set(taskId, 'once')
      try {
        const record = await this.#options.read(key)
        if (record !== undefined) tell(record)
      } catch (error) {
        this.#options.onError(error)
      }
    } while (this.#reading.get(taskId) === 'again')
    this.#reading.delete(taskId)
  }
}
