import type { Clock } from '../../../src/util/clock.ts'

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** Time that moves only when a test says so. */
export class TestClock implements Clock {
  #now = 1_700_000_000_000
  #timers = new Set<Timer>()

  get pending(): number {
    return this.#timers.size
  }
  now(): number {
    return this.#now
  }
  setTimeout(run: () => void, ms: number): unknown {
    const timer: Timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return timer
  }
  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /** Moves on, running what falls due in order, with a turn of the event loop after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers.delete(due)
      this.#now = Math.max(this.#now, due.at)
      due.run()
      await turn()
    }
    this.#now = end
    await turn()
  }
}

/** Lets everything that is ready to run do so. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
