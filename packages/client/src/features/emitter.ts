type Listener<Value> = (value: Value) => void | Promise<void>

/**
 * Listeners by event, called in the order in which they came. One that throws or rejects is reported, and disturbs no
 * other; one that is added while an event is told hears from the next one on.
 */
export class Emitter<Events extends object> {
  readonly #listeners: { [E in keyof Events]?: Set<Listener<Events[E]>> } = {}
  readonly #failed: (event: keyof Events, error: Error) => void

  constructor(failed: (event: keyof Events, error: Error) => void) {
    this.#failed = failed
  }

  on<E extends keyof Events>(event: E, listener: Listener<Events[E]>): () => void {
    const listeners: Set<Listener<Events[E]>> = (this.#listeners[event] ??= new Set())
    const own: Listener<Events[E]> = (value) => listener(value)
    listeners.add(own)
    return () => void listeners.delete(own)
  }

  has(event: keyof Events): boolean {
    return (this.#listeners[event]?.size ?? 0) > 0
  }

  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    const listeners: Set<Listener<Events[E]>> | undefined = this.#listeners[event]
    if (listeners === undefined) return
    const failed = (error: unknown): void =>
      this.#failed(event, error instanceof Error ? error : new Error(String(error)))
    const now = Array.from(listeners)
    for (const listener of now) {
      try {
        const done = listener(value)
        if (done instanceof Promise) done.catch(failed)
      } catch (error) {
        failed(error)
      }
    }
  }
}
