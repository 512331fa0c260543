import type { Clock } from '../runtime/clock.ts'
import type { ResolvedOptions } from './options.ts'
import type { Outbound } from './outbound.ts'
import { KEEP_ALIVE } from './sse.ts'
import { Recurring } from '../runtime/timers.ts'

/**
 * The connections that carry a stream now, kept alive by one timer for them all. Where timers end with their request
 * each stream has one of its own, and nobody knows how many streams there are: some end without a word.
 */
export class OpenStreams {
  readonly #open = new Set<Outbound>()
  readonly #own: WeakMap<Outbound, Recurring> | undefined
  readonly #clock: Clock
  readonly #intervalMs: number | undefined
  readonly #keepAlive: Recurring | undefined

  constructor(clock: Clock, keepAlive: ResolvedOptions['keepAlive']) {
    this.#clock = clock
    this.#intervalMs = keepAlive === false ? undefined : keepAlive.intervalMs
    if (clock.perRequest === true) this.#own = new WeakMap()
    else this.#keepAlive = this.#recurring(() => this.#beat())
  }

  /** How many there are, and what waits on them; of one owner only, where one is given. */
  held(owner?: object): { readonly openStreams: number; readonly queuedBytes: number } {
    let openStreams = 0
    let queuedBytes = 0
    for (const outbound of this.#open) {
      if (owner !== undefined && outbound.owner !== owner) continue
      openStreams++
      queuedBytes += outbound.queuedBytes
    }
    return { openStreams, queuedBytes }
  }

  add(outbound: Outbound): void {
    if (this.#own !== undefined) {
      const own = this.#recurring(() => outbound.writeIfIdle(KEEP_ALIVE))
      own?.start()
      if (own !== undefined) this.#own.set(outbound, own)
      return
    }
    this.#open.add(outbound)
    this.#keepAlive?.start()
  }

  remove(outbound: Outbound): void {
    this.#own?.get(outbound)?.stop()
    if (this.#open.delete(outbound) && this.#open.size === 0) this.#keepAlive?.stop()
  }

  cutAll(): void {
    for (const outbound of this.#open) outbound.cut()
  }

  #recurring(beat: () => void): Recurring | undefined {
    return this.#intervalMs === undefined ? undefined : new Recurring(this.#clock, this.#intervalMs, beat)
  }

  #beat(): void {
    for (const outbound of this.#open) outbound.writeIfIdle(KEEP_ALIVE)
  }
}
