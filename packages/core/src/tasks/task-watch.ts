import type { TaskKey, TaskRecord } from '../stores/task-store.ts'

export interface TaskWatchOptions {
  /** Undefined for a task that does not exist any more. */
  readonly read: (key: TaskKey) => Promise<TaskRecord | undefined>
  /** Runs when a read failed. Must not throw. */
  readonly onError: (error: unknown) => void
}

/** Reads tasks after changes, one read of a task at a time: changes during a read cause one more. */
export class TaskWatch {
  readonly #options: TaskWatchOptions
  readonly #reading = new Map<string, 'once' | 'again'>()

  constructor(options: TaskWatchOptions) {
    this.#options = options
  }

  /** Reads the task and passes it to `notify`. */
  refresh(key: TaskKey, notify: (record: TaskRecord) => void): void {
    const { taskId } = key
    if (this.#reading.has(taskId)) this.#reading.set(taskId, 'again')
    else void this.#read(key, notify)
  }

  async #read(key: TaskKey, notify: (record: TaskRecord) => void): Promise<void> {
    const { taskId } = key
    do {
      this.#reading.set(taskId, 'once')
      try {
        const record = await this.#options.read(key)
        if (record !== undefined) notify(record)
      } catch (error) {
        this.#options.onError(error)
      }
    } while (this.#reading.get(taskId) === 'again')
    this.#reading.delete(taskId)
  }
}
