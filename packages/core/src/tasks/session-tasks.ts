import type { CallContext } from '../call/context.ts'
import type { CallSession } from '../call/scope.ts'
import { ANONYMOUS, principalOf } from '../stores/principal.ts'
import type { TaskPosition, TaskStore } from '../stores/task-store.ts'
import type { Logger } from '../util/logger.ts'

const DELETE_PAGE = 100

export interface SessionTasksOptions {
  readonly store: TaskStore
  readonly logger: Logger
}

/** Deletes the tasks of an anonymous client when its session ends. */
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
      // A store may return fewer tasks than the limit, so only an empty page is the last.
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
