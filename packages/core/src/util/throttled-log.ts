import type { Clock } from './clock.ts'

/** Often enough to be found, and never a flood, in ms. */
const INTERVAL_MS = 600_000

/** Logs a problem that each request may have, at most once in ten minutes. */
export class ThrottledLog {
  readonly #clock: Clock
  #loggedAt = Number.NEGATIVE_INFINITY
  #skipped = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param log - gets how often the problem was not logged since the last time */
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
