/** One reading that several callers wait for. It is given up when none of them is left. */
export class Flight<T> {
  readonly #end = new AbortController()
  readonly #result: Promise<T>
  readonly #onDeserted: () => void
  #waiting = 0

  constructor(load: (signal: AbortSignal) => Promise<T>, onDeserted: () => void) {
    this.#onDeserted = onDeserted
    this.#result = Promise.resolve(this.#end.signal).then(load)
    // Whoever joins hears of a failure. When all have left there is nobody to hear of it.
    this.#result.catch(() => {})
  }

  /** Waits along. @throws the reason of the signal, which ends this one's waiting alone */
  join(signal: AbortSignal | undefined): Promise<T> {
    this.#waiting++
    if (signal === undefined) return this.#result
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(signal.reason)
        if (--this.#waiting > 0) return
        this.#onDeserted()
        this.#end.abort(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      const stay = (): void => signal.removeEventListener('abort', leave)
      this.#result.finally(stay).then(resolve, reject)
    })
  }
}
