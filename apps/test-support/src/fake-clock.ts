interface Timer {
  readonly at: number
  readonly run: () => void
}

/** A clock that moves only when `advance` is called. */
export class FakeClock {
  #now = 1_000_000
  readonly #timers = new Set<Timer>()

  /** The number of pending timers. */
  get pending(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#now
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /** Advances the time, runs the due timers in order, and lets promises settle after each of them. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.run()
      await settled()
    }
    this.#now = end
    await settled()
  }
}

/** Resolves when the pending promises in this process have settled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}
