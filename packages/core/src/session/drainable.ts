import type { Clock } from '../util/clock.ts'
import { type Deferred, deferred } from '../util/promises.ts'

export interface DrainSteps {
  /** Runs when closing starts, to refuse new work and to end work that would otherwise never end. */
  readonly begin?: () => void
  /** Runs when all work has ended or the deadline has passed, to end whatever is left. */
  readonly finish: () => void | Promise<void>
}

/**
 * Counts running work, and closes once. When closing starts, running work may finish within a deadline; after
 * that, whatever is left is ended.
 */
export class Drainable {
  readonly #clock: Clock
  readonly #steps: DrainSteps
  readonly #closed: Deferred = deferred()
  readonly #timers: unknown[] = []
  #working = 0
  #onIdle: (() => void) | undefined
  #idle = false
  /** Whether closing has started. */
  closing = false
  #drained: Promise<void> | undefined

  constructor(clock: Clock, steps: DrainSteps) {
    this.#clock = clock
    this.#steps = steps
  }

  /** Resolves when everything has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  begin(): void {
    this.#working++
  }

  end(): void {
    if (--this.#working === 0) this.#onIdle?.()
  }

  /** Starts closing. Can be called repeatedly; the earliest deadline applies. */
  close({ deadline = 10_000 }: { readonly deadline?: number | undefined } = {}): Promise<void> {
    if (!this.#idle) this.#timers.push(this.#clock.setTimeout(() => this.#onIdle?.(), deadline))
    this.closing = true
    return (this.#drained ??= this.#drain())
  }

  /** Resolves {@link closed} immediately. For owners that have already ended everything. */
  finish(): void {
    this.#closed.resolve()
  }

  async #drain(): Promise<void> {
    this.#steps.begin?.()
    if (this.#working > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    this.#idle = true
    for (const timer of this.#timers.splice(0)) this.#clock.clearTimeout(timer)
    await this.#steps.finish()
    this.#closed.resolve()
  }
}
