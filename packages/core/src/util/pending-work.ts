import type { Clock } from './clock.ts'

/**
 * The maximum time for which {@link PendingWork.flushed} waits, in ms. It is limited because a stalled client
 * never reads.
 */
const FLUSH_MS = 1_000

/**
 * Counts the messages that must still be sent before the connection closes, such as responses to calls that
 * the close has ended.
 */
export class PendingWork {
  readonly #clock: Clock
  readonly #waiting: (() => void)[] = []
  #count: number

  constructor(clock: Clock, count = 0) {
    this.#clock = clock
    this.#count = count
  }

  begin(): void {
    this.#count++
  }

  end(): void {
    if (--this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when all counted messages have been sent, but after 1 s at the latest. */
  async flushed(): Promise<void> {
    if (this.#count === 0) return
    let timer: unknown
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      timer = this.#clock.setTimeout(resolve, FLUSH_MS)
    })
    this.#clock.clearTimeout(timer)
  }
}
