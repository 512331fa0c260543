import { busy } from '../errors.ts'
import { ANYONE, isAnonymousOwner } from '../stores/task-store.ts'

export interface TaskSlotLimits {
  /** The maximum number of running tasks of one owner. */
  readonly maxRunning: number
  /** The maximum number of running tasks of all anonymous clients together. */
  readonly maxAnonymous: number
}

const TOO_MANY = 'Too many tasks are running: wait until one has ended'

/**
 * Limits the running tasks. Anonymous clients cannot be distinguished, so all of them together must leave room
 * for the tasks of principals.
 */
export class TaskSlots {
  readonly #limits: TaskSlotLimits
  /** The numbers of running tasks, by owner. */
  readonly #running = new Map<string, number>()
  /** The number of running tasks of all anonymous clients. */
  #anonymous = 0

  constructor(limits: TaskSlotLimits) {
    this.#limits = limits
  }

  /** Whether no task is running. */
  get unused(): boolean {
    return this.#running.size === 0
  }

  /** @throws McpError "busy" if the owner has too many */
  take(owner: string): void {
    const { maxRunning, maxAnonymous } = this.#limits
    const running = this.#running.get(owner) ?? 0
    if (running >= (owner === ANYONE ? maxAnonymous : maxRunning)) throw busy(TOO_MANY)
    if (isAnonymousOwner(owner)) {
      if (this.#anonymous >= maxAnonymous) throw busy(TOO_MANY)
      this.#anonymous++
    }
    this.#running.set(owner, running + 1)
  }

  free(owner: string): void {
    if (isAnonymousOwner(owner)) this.#anonymous--
    const running = (this.#running.get(owner) ?? 1) - 1
    if (running === 0) this.#running.delete(owner)
    else this.#running.set(owner, running)
  }
}
