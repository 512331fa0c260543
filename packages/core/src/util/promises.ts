/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** A promise that can be settled from outside. */
export interface Deferred<T = void> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/** A replacement for `Promise.withResolvers`, which Node.js 20 does not have. */
export function deferred<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Runs a step. If it throws or rejects, returns the result of `failed` for the error. */
export function attempt<T, F>(step: () => Awaitable<T>, failed: (error: unknown) => F): Awaitable<T | F> {
  try {
    const result = step()
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}

/**
 * Returns whether a value must be awaited. All other values are used synchronously, which avoids creating a
 * promise.
 */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function')
  )
}

/** Passes a value to a function immediately, or once it resolves. */
export function chain<T, R>(value: T | PromiseLike<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromiseLike(value) ? Promise.resolve(value).then(use) : use(value)
}

/**
 * Throws if a promise is passed where a plain value is required. Also handles a later rejection of the
 * promise, which would otherwise terminate the process.
 */
export function refusePromise(value: unknown, problem: string): void {
  if (!isPromiseLike(value)) return
  value.then(undefined, () => {})
  throw new TypeError(problem)
}

/** Runs steps one after another. A step that fails does not stop the ones after it. */
export class InOrder {
  #tail: Promise<void> | undefined

  /** Settles when all steps added so far have ended; undefined if no step is running. */
  get busy(): Promise<void> | undefined {
    return this.#tail
  }

  /** Runs a step immediately if no other step is running, and otherwise after all earlier steps. */
  run<T>(step: () => Awaitable<T>): Awaitable<T> {
    const result = this.#tail === undefined ? step() : this.#tail.then(step)
    if (result instanceof Promise) this.#wait(result)
    return result
  }

  #wait(result: Promise<unknown>): void {
    const free = (): void => {
      if (this.#tail === tail) this.#tail = undefined
    }
    const tail = result.then(free, free)
    this.#tail = tail
  }
}

/** Gives each step a separate turn of the event loop, so that a long series of steps does not block other work. */
export class Turns {
  #last: Promise<void> | undefined

  /** Resolves when the next step may run. Returns undefined if it may run immediately. */
  next(): Promise<void> | undefined {
    const before = this.#last
    const turn = Promise.resolve(before).then(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))
    this.#last = turn
    void turn.then(() => (this.#last = this.#last === turn ? undefined : this.#last))
    return before
  }
}
