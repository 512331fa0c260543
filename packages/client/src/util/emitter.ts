import { toError } from './promises.ts'

type Listener<Value> = (value: Value) => void | Promise<void>

/**
 * Calls listeners in the order in which they were added. A listener that throws or rejects does not affect the
 * others.
 */
export class Emitter<Events extends object> {
  readonly #listeners: { [E in keyof Events]?: Set<Listener<Events[E]>> } = {}
  readonly #onError: (event: keyof Events, error: Error) => void

  /** @param onError - receives the errors that listeners throw */
  constructor(onError: (event: keyof Events, error: Error) => void) {
    this.#onError = onError
  }

  /** Adds a listener, and returns a function that removes it. */
  on<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    const listeners: Set<Listener<Events[E]>> = (this.#listeners[event] ??= new Set())
    // The wrapper makes it possible to add the same function twice.
    const own: Listener<Events[E]> = (value) => listener(value)
    listeners.add(own)
    return () => void listeners.delete(own)
  }

  has(event: keyof Events): boolean {
    return (this.#listeners[event]?.size ?? 0) > 0
  }

  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    const onError = (error: unknown): void => this.#onError(event, toError(error))
    for (const listener of Array.from<Listener<Events[E]>>(this.#listeners[event] ?? [])) {
      try {
        const done = listener(value)
        if (done instanceof Promise) done.catch(onError)
      } catch (error) {
        onError(error)
      }
    }
  }
}
