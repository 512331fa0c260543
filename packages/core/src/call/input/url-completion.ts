import { type Bus, onChange } from '../../stores/bus.ts'
import type { Clock } from '../../util/clock.ts'

/** The maximum number of ids that one call remembers; the oldest is dropped. */
const MAX_IDS = 1_024

/**
 * Records all calls of `server.completeElicitation` until `stop`, including those before the call waits for them.
 */
export class UrlCompletions {
  readonly #clock: Clock
  readonly #ids = new Set<string>()
  readonly #unsubscribe: () => void
  #onAdd: (() => void) | undefined

  constructor(bus: Bus, clock: Clock) {
    this.#clock = clock
    this.#unsubscribe = onChange(bus, (event) => {
      if (event.kind === 'elicitation') this.#add(event.id)
    })
  }

  /**
   * Resolves when all ids are complete, after `ms`, or when the call ends.
   *
   * @param pause - stops the handler's timer, and runs its argument if the call ends
   */
  async waitFor(ids: readonly string[], ms: number, pause: (atEnd: () => void) => () => void): Promise<void> {
    const complete = (): boolean => ids.every((id) => this.#ids.has(id))
    if (complete()) return
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#onAdd = undefined
        this.#clock.clearTimeout(timer)
        resume()
        resolve()
      }
      const timer = this.#clock.setTimeout(end, ms)
      let resume = (): void => {}
      this.#onAdd = () => {
        if (complete()) end()
      }
      resume = pause(end)
    })
  }

  stop(): void {
    this.#unsubscribe()
  }

  #add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (oldest !== undefined && this.#ids.size > MAX_IDS) this.#ids.delete(oldest)
    this.#onAdd?.()
  }
}
