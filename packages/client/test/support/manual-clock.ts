import type { Clock } from '@jetway/core/stores'

/** A clock that only `advance` moves. */
export class ManualClock implements Clock {
  #now = 1_000
  #timers: { readonly at: number; readonly run: () => void }[] = []

  now(): number {
    return this.#now
  }

  /** The number of pending timers. */
  get waiting(): number {
    return this.#timers.length
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = { at: this.#now + ms, run }
    this.#timers.push(timer)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers = this.#timers.filter((each) => each !== timer)
  }

  /** Runs due timers in order, and settles promises after each. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#now = Math.max(this.#now, next.at)
      this.clearTimeout(next)
      next.run()
      await settled()
    }
    this.#now = until
    await settled()
  }
}

/** Resolves when pending promises in this process have settled. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
}
