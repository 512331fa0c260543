/** A number of places, taken in the order in which they were asked for. */
export class Slots {
  readonly #max: number
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(max: number) {
    if (!Number.isInteger(max) || max < 1) throw new RangeError('At least one server connects at a time')
    this.#max = max
  }

  /** Resolves to what gives the place back, once. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#taken < this.#max) return Promise.resolve(this.#place())
    return new Promise((resolve, reject) => {
      const next = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(this.#place())
      }
      const leave = (): void => {
        this.#waiting.delete(next)
        reject(signal.reason as Error)
      }
      this.#waiting.add(next)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #place(): () => void {
    this.#taken++
    let given = false
    return () => {
      if (given) return
      given = true
      this.#taken--
      const [next] = this.#waiting
      if (next === undefined) return
      this.#waiting.delete(next)
      next()
    }
  }
}
