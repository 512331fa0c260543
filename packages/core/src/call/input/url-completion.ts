import { type Bus, CHANGES_TOPIC, toChangeEvent } from '../../stores/bus.ts'
import type { Clock } from '../../util/clock.ts'

/** Ids that one call remembers as done while it runs; the oldest goes. */
const MAX_HEARD = 1_024

interface OpenedOptions {
  readonly bus: Bus
  readonly clock: Clock
}

/** Tells calls that go on when their user is done at an address. Listens to the bus while there are such calls only. */
export class UrlCompletions {
  readonly #options: OpenedOptions
  readonly #hearing = new Set<TrackedCompletions>()
  #unsubscribe: (() => void) | undefined

  constructor(options: OpenedOptions) {
    this.#options = options
  }

  /** Hears of every address from now on, until it is told to stop: what is done before somebody waits counts, too. */
  track(): TrackedCompletions {
    const { bus, clock } = this.#options
    const heard = new TrackedCompletions(clock, () => {
      if (!this.#hearing.delete(heard) || this.#hearing.size > 0) return
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
    })
    this.#hearing.add(heard)
    this.#unsubscribe ??= bus.subscribe(CHANGES_TOPIC, (message) => {
      const event = toChangeEvent(message)
      if (event?.kind === 'elicitation') for (const one of this.#hearing) one.done(event.id)
    })
    return heard
  }
}

/** What one call has heard. */
export class TrackedCompletions {
  readonly #clock: Clock
  readonly #stop: () => void
  readonly #ids = new Set<string>()
  #onDone: (() => void) | undefined

  constructor(clock: Clock, stop: () => void) {
    this.#clock = clock
    this.#stop = stop
  }

  done(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (oldest !== undefined && this.#ids.size > MAX_HEARD) this.#ids.delete(oldest)
    this.#onDone?.()
  }

  /**
   * Resolves when the user is done at all of the addresses, or the time is over, or the call.
   *
   * @param pause - stops the call's own time until the returned function is called; runs its argument if the call ends
   */
  async all(ids: readonly string[], ms: number, pause: (atEnd: () => void) => () => void): Promise<void> {
    const areDone = (): boolean => ids.every((id) => this.#ids.has(id))
    if (areDone()) return
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#onDone = undefined
        this.#clock.clearTimeout(timer)
        resume()
        resolve()
      }
      const timer = this.#clock.setTimeout(end, ms)
      let resume = (): void => {}
      this.#onDone = () => {
        if (areDone()) end()
      }
      resume = pause(end)
    })
  }

  stop(): void {
    this.#stop()
  }
}
