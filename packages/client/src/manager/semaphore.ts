import { abortable, type Deferred, deferred } from '../util/promises.ts'

/** Limits how many tasks run at the same time. Waiting tasks start in order. */
export class Semaphore {
  readonly #waiting = new Set<Deferred<void>>()
  #free: number

  constructor(max: number) {
    if (!Number.isInteger(max) || max < 1) throw new RangeError('maxConnecting needs whole numbers from 1')
    this.#free = max
  }

  /**
   * Waits for a permit. Resolves to a function that releases the permit once. Rejects with the signal's reason.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const turn = deferred<void>()
    this.#waiting.add(turn)
    try {
      await abortable(turn.promise, signal)
    } catch (error) {
      // The permit may have been granted just before the abort.
      if (!this.#waiting.delete(turn)) this.#release()
      throw error
    }
  }

  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else {
      this.#waiting.delete(next)
      next.resolve()
    }
  }
}
