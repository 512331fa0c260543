import { type Bus, onChange } from '../stores/bus.ts'

/**
 * Reports changes of tasks, including those on other nodes. Subscribed to the bus only while a task is watched.
 */
export class TaskChanges {
  readonly #bus: Bus
  readonly #listeners = new Map<string, Set<() => void>>()
  #unsubscribe: (() => void) | undefined

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /**
   * Calls the listener after each change of a task, and if changes may have been missed. Returns a function
   * that ends the watch.
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
