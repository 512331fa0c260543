import type { CallContext } from '../call/context.ts'
import { ANONYMOUS, principalOf } from '../stores/principal.ts'
import {
  ANYONE,
  isAnonymousOwner,
  OF_PRINCIPAL,
  type TaskPosition,
  type TaskStore,
} from '../stores/task-store.ts'
import { busy } from '../errors.ts'
import type { CallSession } from '../call/scope.ts'
import type { Logger } from '../util/logger.ts'

/**
 * Returns the owner of a task that this call starts, or undefined if the client cannot be distinguished from
 * others.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-isolation-and-access-control
 */
export function taskOwner({ scope }: CallContext): string | undefined {
  const principal = principalOf(scope.caller)
  if (principal !== ANONYMOUS) return `${OF_PRINCIPAL}${principal}`
  // With the extension, knowing the task's id is enough.
  if (scope.revision.tasks === 'extension') return ANYONE
  return scope.session === undefined ? undefined : `session:${scope.session.id}`
}

interface TaskSlotLimits {
  readonly maxRunning: number
  readonly maxAnonymous: number
}

const TOO_MANY = 'Too many tasks are running: wait until one has ended'

/**
 * Limits the running tasks. Anonymous clients cannot be distinguished, so all of them combined must leave room
 * for the tasks of principals.
 */
export class TaskSlots {
  readonly #limits: TaskSlotLimits
  /** The number of running tasks, keyed by owner. */
  readonly #running = new Map<string, number>()
  /** The number of running tasks for all anonymous clients. */
  #anonymous = 0

  constructor(limits: TaskSlotLimits) {
    this.#limits = limits
  }

  /** Whether no tasks are running. */
  get unused(): boolean {
    return this.#running.size === 0
  }

  /** @throws McpError "busy" if the owner has too many running tasks */
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

const DELETE_PAGE = 100

interface SessionTasksOptions {
  readonly store: TaskStore
  readonly logger: Logger
}

/** Deletes an anonymous client's tasks when its session ends. */
export class SessionTasks {
  readonly #options: SessionTasksOptions
  readonly #endRunning: (owner: string) => void
  readonly #followed = new WeakSet<CallSession>()

  /** @param endRunning - ends the running tasks of an owner */
  constructor(options: SessionTasksOptions, endRunning: (owner: string) => void) {
    this.#options = options
    this.#endRunning = endRunning
  }

  /**
   * Watches the session of a call that has started a task. The session does not count as idle until the
   * returned function is called.
   */
  follow(owner: string, { scope: { session, caller } }: CallContext): () => void {
    if (session === undefined || principalOf(caller) !== ANONYMOUS) return () => {}
    if (!this.#followed.has(session)) {
      this.#followed.add(session)
      session.onClose((cause) => {
        if (cause === 'ended') void this.#deleteAll(owner)
      })
    }
    if (session.closed) void this.#deleteAll(owner)
    return session.holdOpen()
  }

  async #deleteAll(owner: string): Promise<void> {
    const { store, logger } = this.#options
    this.#endRunning(owner)
    try {
      // A store may return fewer tasks than the limit, so only an empty page is certain to be the last one.
      for (let after: TaskPosition | undefined; ;) {
        const page = await store.list(owner, { after, limit: DELETE_PAGE })
        for (const key of page) await store.delete(key)
        after = page.at(-1)
        if (after === undefined) return
      }
    } catch (err) {
      logger.error({ err }, 'The tasks of a closed session could not be deleted')
    }
  }
}
