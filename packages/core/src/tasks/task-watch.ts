import type { TaskKey, TaskRecord, TaskStore } from '../stores/task-store.ts'
import type { Logger } from '../util/logger.ts'

/** Reads tasks after changes, one read of a task at a time. Changes during a read cause one more read. */
export class TaskWatch {
  readonly #options: { readonly store: Pick<TaskStore, 'get'>; readonly logger: Logger }
  readonly #reading = new Map<string, 'once' | 'again'>()

  constructor(options: { readonly store: Pick<TaskStore, 'get'>; readonly logger: Logger }) {
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
    const { store, logger } = this.#options
    do {
      this.#reading.set(taskId, 'once')
      try {
        const record = await store.get(key)
        if (record !== undefined) notify(record)
      } catch (err) {
        logger.error({ err }, 'The state of a task could not be read')
      }
    } while (this.#reading.get(taskId) === 'again')
    this.#reading.delete(taskId)
  }
}
