/** Limits how many run at once. Waiters get their turn in order. */
export class Semaphore {
  readonly #max: number
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(max: number) {
    if (!Number.isInteger(max) || max < 1) throw new RangeError('maxConnecting needs whole numbers from 1')
    this.#max = max
  }

  /** Resolves to a function that releases the place. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#taken < this.#max) return Promise.resolve(this.#take())
    return new Promise((resolve, reject) => {
      const next = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(this.#take())
      }
      const leave = (): void => {
        this.#waiting.delete(next)
        reject(signal.reason as Error)
      }
      this.#waiting.add(next)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #take(): () => void {
    this.#taken++
    return () => {
      this.#taken--
      const [next] = this.#waiting
      if (next === undefined) return
      this.#waiting.delete(next)
      next()
    }
  }
}
