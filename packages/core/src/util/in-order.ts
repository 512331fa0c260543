import type { Awaitable } from './promises.ts'

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
