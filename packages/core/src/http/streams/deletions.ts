import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { attempt, type Awaitable } from '../../util/promises.ts'
import { Recurring } from '../../util/timers.ts'

type Deletion = () => Awaitable<unknown>

/** The time between two tries, in ms. */
const RETRY_MS = 1_000
/** Deletions that wait for their store; one more drops the oldest, whose records then expire. */
const MAX_WAITING = 10_000

/**
 * Deletes records that nobody may use any more. If their store fails, it gets the deletions when it is back: other
 * processes would continue a session that has ended, or wait for events that are never stored.
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

  /** Settles after the first try. Never rejects. */
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

  /** Drops what waits. */
  close(): void {
    this.#waiting.clear()
    this.#timer.stop()
  }

  /** One after the other, until one fails: a store that is down fails them all. */
  async #retry(): Promise<void> {
    if (this.#running) return
    this.#running = true
    try {
      for (const deletion of this.#waiting) {
        await deletion()
        this.#waiting.delete(deletion)
      }
      if (this.#waiting.size === 0) this.#timer.stop()
    } catch {
      // The next round repeats it.
    } finally {
      this.#running = false
    }
  }
}
