import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { attempt, type Awaitable } from '../../util/promises.ts'
import { Recurring } from '../../util/timers.ts'

type Deletion = () => Awaitable<unknown>

/** The time between two attempts, in ms. */
const RETRY_MS = 1_000
/**
 * The maximum number of queued deletions. Beyond it, the oldest deletion is dropped, and its records remain
 * until they expire.
 */
const MAX_WAITING = 10_000

/**
 * Deletes records that must no longer be used. If the store fails, the deletions are retried until they
 * succeed. Otherwise, other processes would continue an ended session, or wait for events that are never
 * stored.
 */
export class Deletions {
  readonly #logger: Logger
  readonly #waiting = new Set<Deletion>()
  readonly #timer: Recurring
  #running = false

  constructor(clock: Clock, logger: Logger) {
    this.#logger = logger
    this.#timer = new Recurring(clock, RETRY_MS, () => void this.#retry())
  }

  /** Settles after the first attempt. Never rejects. */
  run(deletion: Deletion): void | Promise<void> {
    const done = attempt(deletion, (err) => {
      this.#logger.error({ err }, 'A record could not be deleted. The deletion will be repeated')
      const [oldest] = this.#waiting
      if (oldest !== undefined && this.#waiting.size >= MAX_WAITING) this.#waiting.delete(oldest)
      this.#waiting.add(deletion)
      this.#timer.start()
    })
    return done instanceof Promise ? done.then(() => {}) : undefined
  }

  /** Drops queued deletions. */
  close(): void {
    this.#waiting.clear()
    this.#timer.stop()
  }

  /** Retries the deletions until one fails, because all of them fail while the store is down. */
  async #retry(): Promise<void> {
    if (this.#running) return
    this.#running = true
    let last: Deletion | undefined
    try {
      for (last of this.#waiting) {
        await last()
        this.#waiting.delete(last)
      }
      if (this.#waiting.size === 0) this.#timer.stop()
    } catch {
      // The next round begins with the other deletions, because the store may be rejecting only this one.
      if (last !== undefined && this.#waiting.delete(last)) this.#waiting.add(last)
    } finally {
      this.#running = false
    }
  }
}
