import type { Clock } from '../../../src/util/clock.ts'

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** A clock that only the test moves. */
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

  /** Moves the time on, and runs the timers in order, with a turn of the event loop after each. */
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

/** Waits until all pending microtasks and callbacks have run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
