import { type Bus, onChange } from '../stores/bus.ts'
import type { TaskKey, TaskRecord, TaskStore } from '../stores/task-store.ts'
import type { Logger } from '../util/logger.ts'

/**
 * Reports changes to tasks, including those made on other nodes. Subscribes to the bus only while a task is
 * being watched.
 */
export class TaskChanges {
  readonly #bus: Bus
  readonly #listeners = new Map<string, Set<() => void>>()
  #unsubscribe: (() => void) | undefined

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /**
   * Calls the listener after each change to a task, and whenever changes may have been missed. Returns a
   * function that ends the watch.
   */
  watch(taskId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(taskId) ?? new Set()
    this.#listeners.set(taskId, listeners.add(listener))
    this.#unsubscribe ??= onChange(this.#bus, (event) => {
      if (event.kind === 'task') this.#report(this.#listeners.get(event.taskId))
      else if (event.kind === 'gap') for (const all of this.#listeners.values()) this.#report(all)
    })
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(taskId)
      if (this.#listeners.size > 0) return
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
    }
  }

  #report(listeners: ReadonlySet<() => void> = new Set()): void {
    for (const listener of listeners) listener()
  }
}

interface WatchOptions {
  readonly store: Pick<TaskStore, 'get'>
  readonly logger: Logger
}

/**
 * Reads tasks after changes, with at most one read per task at a time. If changes occur during a read, the
 * task is read once more.
 */
export class TaskWatch {
  readonly #options: WatchOptions
  readonly #reading = new Map<string, 'once' | 'again'>()

  constructor(options: WatchOptions) {
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
