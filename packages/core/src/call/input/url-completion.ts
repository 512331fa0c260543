import { type Bus, CHANGES_TOPIC, toChangeEvent } from '../../stores/bus.ts'
import type { Clock } from '../../util/clock.ts'

/** Ids that one call remembers; the oldest is dropped. */
const MAX_IDS = 1_024

interface UrlCompletionOptions {
  readonly bus: Bus
  readonly clock: Clock
}

/** Notifies calls when `server.completeElicitation` is called. Subscribes to the bus only while there are such calls. */
export class UrlCompletions {
  readonly #options: UrlCompletionOptions
  readonly #tracked = new Set<TrackedCompletions>()
  #unsubscribe: (() => void) | undefined

  constructor(options: UrlCompletionOptions) {
    this.#options = options
  }

  /** Records all completions until `stop`: also those that happen before the call waits for them. */
  track(): TrackedCompletions {
    const { bus, clock } = this.#options
    const tracked = new TrackedCompletions(clock, () => {
      if (!this.#tracked.delete(tracked) || this.#tracked.size > 0) return
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
    })
    this.#tracked.add(tracked)
    this.#unsubscribe ??= bus.subscribe(CHANGES_TOPIC, (message) => {
      const event = toChangeEvent(message)
      if (event?.kind === 'elicitation') for (const one of this.#tracked) one.add(event.id)
    })
    return tracked
  }
}

/** The completions that happened during one call. */
export class TrackedCompletions {
  readonly #clock: Clock
  readonly #onStop: () => void
  readonly #ids = new Set<string>()
  #onAdd: (() => void) | undefined

  constructor(clock: Clock, onStop: () => void) {
    this.#clock = clock
    this.#onStop = onStop
  }

  add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (oldest !== undefined && this.#ids.size > MAX_IDS) this.#ids.delete(oldest)
    this.#onAdd?.()
  }

  /**
   * Resolves when all ids are complete, after `ms`, or when the call ends.
   *
   * @param pause - stops the handler's time, and runs its argument if the call ends
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
    this.#onStop()
  }
}
