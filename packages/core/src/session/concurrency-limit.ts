import type { SessionLimits } from './server-runtime.ts'

/** Bounds how many calls run at once, how many wait for a place, and refuses the rest. */
export class ConcurrencyLimit {
  readonly #limits: SessionLimits
  readonly #waiting: (() => void)[] = []
  readonly #wantRoom: (() => void)[] = []
  #running = 0

  constructor(limits: SessionLimits) {
    this.#limits = limits
  }

  get inFlight(): number {
    return this.#running + this.#waiting.length
  }

  get full(): boolean {
    return this.inFlight >= this.#limits.inFlight
  }

  /** Whether the next one would have to wait. */
  get saturated(): boolean {
    return this.#running >= this.#limits.running
  }

  /** Undefined: go on. A promise: wait. `busy`: answer so. Whoever went on must `leave`. */
  enter(): undefined | Promise<void> | 'busy' {
    if (this.#running < this.#limits.running) {
      this.#running++
      return undefined
    }
    if (this.full) return 'busy'
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next()
    this.release()
  }

  /** Lets everyone go on who waits for room. */
  release(): void {
    // Nearly always nobody waits, and this runs after every call.
    if (this.#wantRoom.length === 0) return
    for (const resolve of this.#wantRoom.splice(0)) resolve()
  }

  /** Resolves when one more may come in; undefined when it may now. */
  capacity(): Promise<void> | undefined {
    return this.full ? new Promise((resolve) => this.#wantRoom.push(resolve)) : undefined
  }
}
