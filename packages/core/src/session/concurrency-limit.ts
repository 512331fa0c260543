import type { SessionLimits } from './server-runtime.ts'

/** Limits running and queued calls, and refuses the rest. */
export class ConcurrencyLimit {
  readonly #limits: SessionLimits
  readonly #onIdle: (() => void) | undefined
  #waiting: (() => void)[] | undefined
  #wantCapacity: (() => void)[] | undefined
  #running = 0

  /** @param onIdle - runs when the last call has left */
  constructor(limits: SessionLimits, onIdle?: () => void) {
    this.#limits = limits
    this.#onIdle = onIdle
  }

  get inFlight(): number {
    return this.#running + (this.#waiting?.length ?? 0)
  }

  /** Whether the next call would be queued. */
  get saturated(): boolean {
    return this.#running >= this.#limits.running
  }

  get #full(): boolean {
    return this.inFlight >= this.#limits.inFlight
  }

  /**
   * Returns undefined if the call may run now, or a promise if it must wait for its turn. In both cases it must
   * `leave` afterwards. Returns `busy` if the call must be refused.
   */
  enter(): undefined | Promise<void> | 'busy' {
    if (this.#running < this.#limits.running) {
      this.#running++
      return undefined
    }
    if (this.#full) return 'busy'
    return new Promise((resolve) => (this.#waiting ??= []).push(resolve))
  }

  leave(): void {
    const next = this.#waiting?.shift()
    if (next !== undefined) next()
    else if (--this.#running === 0) this.#onIdle?.()
    // Usually nobody waits for capacity.
    if (this.#wantCapacity !== undefined) this.release()
  }

  /** Resolves when another call may enter; undefined if it may now. */
  capacity(): Promise<void> | undefined {
    return this.#full ? new Promise((resolve) => (this.#wantCapacity ??= []).push(resolve)) : undefined
  }

  /** Resolves every promise of {@link capacity}. */
  release(): void {
    for (const resolve of this.#wantCapacity?.splice(0) ?? []) resolve()
    this.#wantCapacity = undefined
  }
}
