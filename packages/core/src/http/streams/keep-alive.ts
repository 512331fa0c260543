import { type Clock, MAX_TIMEOUT_MS } from '../../util/clock.ts'
import { validUntil } from '../guard/authenticate.ts'
import type { ResolvedOptions } from '../options.ts'
import type { SseWriter } from './sse-writer.ts'
import { KEEP_ALIVE } from './sse-format.ts'
import { isolatedRequests } from '../../util/platform.ts'
import { Recurring } from '../../util/timers.ts'

/**
 * The open streams of a mount, kept alive by one timer. Where timers end with their request, each stream has its own, and
 * the streams are not counted, because some end unnoticed. A stream ends when the credentials that opened it expire.
 */
export class OpenStreams {
  readonly #open = new Set<SseWriter>()
  readonly #own: WeakMap<SseWriter, Recurring> | undefined
  /** The timers of streams whose credentials expire. */
  readonly #expiries = new WeakMap<SseWriter, unknown>()
  readonly #clock: Clock
  readonly #intervalMs: number | undefined
  readonly #keepAlive: Recurring | undefined

  constructor(clock: Clock, keepAlive: ResolvedOptions['keepAlive']) {
    this.#clock = clock
    this.#intervalMs = keepAlive === false ? undefined : keepAlive.intervalMs
    if (isolatedRequests()) this.#own = new WeakMap()
    else this.#keepAlive = this.#recurring(() => this.#beat())
  }

  /** Their number and queued bytes; of one owner, if it is given. */
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

  add(outbound: SseWriter): void {
    this.#watch(outbound)
    if (this.#own !== undefined) {
      const own = this.#recurring(() => outbound.writeIfIdle(KEEP_ALIVE))
      own?.start()
      if (own !== undefined) this.#own.set(outbound, own)
      return
    }
    this.#open.add(outbound)
    this.#keepAlive?.start()
  }

  remove(outbound: SseWriter): void {
    this.#own?.get(outbound)?.stop()
    const timer = this.#expiries.get(outbound)
    if (timer !== undefined) this.#clock.clearTimeout(timer)
    this.#expiries.delete(outbound)
    if (this.#open.delete(outbound) && this.#open.size === 0) this.#keepAlive?.stop()
  }

  cutAll(): void {
    for (const outbound of this.#open) outbound.cut()
  }

  #recurring(beat: () => void): Recurring | undefined {
    return this.#intervalMs === undefined ? undefined : new Recurring(this.#clock, this.#intervalMs, beat)
  }

  #watch(outbound: SseWriter): void {
    this.#expiries.delete(outbound)
    const { expiresAt } = outbound
    if (expiresAt === undefined) return
    // A runtime's timers may fire before its clock says so.
    const left = Math.max(validUntil(expiresAt) - this.#clock.now() + 1, 1)
    const look = (): void => {
      if (this.#clock.now() > validUntil(outbound.expiresAt ?? Infinity)) outbound.expire()
      else this.#watch(outbound)
    }
    this.#expiries.set(outbound, this.#clock.setTimeout(look, Math.min(left, MAX_TIMEOUT_MS)))
  }

  #beat(): void {
    for (const outbound of this.#open) outbound.writeIfIdle(KEEP_ALIVE)
  }
}
