import type { Clock } from '../../src/util/clock.ts'

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** A clock that moves only when a test says so. */
export class FakeClock implements Clock {
  #now = 1_000_000
  readonly #timers = new Set<Timer>()

  get pending(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#now
  }

  setTimeout(run: () => void, ms: number): Timer {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /** Moves on, runs what falls due in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= target).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = next.at
      next.run()
      await settled()
    }
    this.#now = target
    await settled()
  }
}

/** Lets everything that is waiting for promises alone come to rest. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
