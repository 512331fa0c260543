export type Awaitable<T> = T | Promise<T>

/** A promise that is settled from outside. */
export interface Deferred<T = void> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/** A replacement for `Promise.withResolvers`, which Node.js 20 lacks. */
export function deferred<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Runs a step. Passes its error to `failed`, whether the step throws or rejects. */
export function attempt<T, F>(step: () => Awaitable<T>, failed: (error: unknown) => F): Awaitable<T | F> {
  try {
    const result = step()
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}

/** Returns whether a value must be awaited. Other values stay synchronous, which saves a promise. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function')
  )
}

/** Uses a value immediately, or when it resolves. */
export function chain<T, R>(value: T | PromiseLike<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromiseLike(value) ? Promise.resolve(value).then(use) : use(value)
}

/** Refuses a promise where a value is required. If the promise rejects, the rejection must not end the process. */
export function refusePromise(value: unknown, problem: string): void {
  if (!isPromiseLike(value)) return
  value.then(undefined, () => {})
  throw new TypeError(problem)
}

/** Runs steps one after another. A failing step does not stop those after it. */
export class InOrder {
  #tail: Promise<void> | undefined

  /** Settles when all steps so far have ended; undefined if none is running. */
  get busy(): Promise<void> | undefined {
    return this.#tail
  }

  /** Runs a step immediately if none is running, or else after the others. */
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

/** Gives each step its own turn of the event loop, so that many of them do not keep others waiting. */
export class Turns {
  #last: Promise<void> | undefined

  /** Resolves when a step may run; undefined if it may run now. */
  next(): Promise<void> | undefined {
    const before = this.#last
    const turn = Promise.resolve(before).then(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))
    this.#last = turn
    void turn.then(() => (this.#last = this.#last === turn ? undefined : this.#last))
    return before
  }
}
