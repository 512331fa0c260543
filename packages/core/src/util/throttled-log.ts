import type { Clock } from './clock.ts'

/**
 * The minimum interval between lines, in ms. It is short enough for someone to notice the problem, and long
 * enough not to flood the log.
 */
const INTERVAL_MS = 600_000

/** Logs a problem that may occur in every request, at most once every ten minutes. */
export class ThrottledLog {
  readonly #clock: Clock
  #loggedAt = Number.NEGATIVE_INFINITY
  #skipped = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param log - receives the number of occurrences that have not been logged since the last line */
  log(log: (skipped: number) => void): void {
    const now = this.#clock.now()
    if (now - this.#loggedAt < INTERVAL_MS) {
      this.#skipped++
      return
    }
    const skipped = this.#skipped
    this.#loggedAt = now
    this.#skipped = 0
    log(skipped)
  }
}
