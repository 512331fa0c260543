import type { Clock } from '../runtime/clock.ts'
import type { ResolvedOptions } from './options.ts'
import type { Outbound } from './outbound.ts'
import { KEEP_ALIVE } from './sse.ts'
import { Recurring } from '../runtime/timers.ts'

/** The connections that carry a stream now, kept alive by one timer for them all. */
export class OpenStreams {
  readonly #open = new Set<Outbound>()
  readonly #keepAlive: Recurring | undefined

  constructor(clock: Clock, keepAlive: ResolvedOptions['keepAlive']) {
    if (keepAlive !== false) this.#keepAlive = new Recurring(clock, keepAlive.intervalMs, () => this.#beat())
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
    this.#open.add(outbound)
    this.#keepAlive?.start()
  }

  remove(outbound: Outbound): void {
    if (this.#open.delete(outbound) && this.#open.size === 0) this.#keepAlive?.stop()
  }

  cutAll(): void {
    for (const outbound of this.#open) outbound.cut()
  }

  #beat(): void {
    for (const outbound of this.#open) outbound.writeIfIdle(KEEP_ALIVE)
  }
}
