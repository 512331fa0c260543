/** A load that several callers are waiting for. It is aborted when all of them have aborted. */
export class PendingLoad<Key, T> {
  readonly key: Key
  readonly #end = new AbortController()
  readonly #result: Promise<T>
  readonly #onDeserted: () => void
  #waiting = 0

  constructor(key: Key, load: (signal: AbortSignal) => Promise<T>, onDeserted: () => void) {
    this.key = key
    this.#onDeserted = onDeserted
    this.#result = Promise.resolve(this.#end.signal).then(load)
    // If all callers have aborted, no code handles the rejection.
    this.#result.catch(() => {})
  }

  /** Waits for the result. @throws the signal's reason, for this caller only */
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
