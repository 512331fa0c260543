import { type Clock, MAX_TIMEOUT_MS } from '../../util/clock.ts'
import { validUntil } from '../guard/authenticate.ts'
import type { ResolvedOptions } from '../options.ts'
import type { ServedServer } from '../servers/served-server.ts'
import type { SseWriter } from './sse-writer.ts'
import { KEEP_ALIVE } from './sse-format.ts'
import { isolatedRequests } from '../../util/platform.ts'
import { PendingWork } from '../../util/pending-work.ts'
import { Recurring } from '../../util/timers.ts'

/**
 * A mount's open streams, which a single timer keeps alive. On platforms where timers end with their request,
 * each stream has its own timer, and the streams are not counted, because some end undetected. A stream ends
 * when the credentials that opened it expire.
 */
export class OpenStreams {
  readonly #open = new Set<SseWriter>()
  readonly #own: WeakMap<SseWriter, Recurring> | undefined
  /** The timers of streams whose credentials expire. */
  readonly #expiries = new WeakMap<SseWriter, unknown>()
  readonly #clock: Clock
  readonly #intervalMs: number | undefined
  readonly #keepAlive: Recurring | undefined
  /** Counts the open streams while they are being ended. */
  #ending: PendingWork | undefined
  /** Whether the end of every stream is detected, so that streams and their queued bytes can be counted. */
  readonly counts: boolean

  constructor(clock: Clock, keepAlive: ResolvedOptions['keepAlive']) {
    this.#clock = clock
    this.#intervalMs = keepAlive === false ? undefined : keepAlive.intervalMs
    this.counts = !isolatedRequests()
    if (!this.counts) this.#own = new WeakMap()
    else
      this.#keepAlive = this.#recurring(() => {
        for (const writer of this.#open) writer.writeIfIdle(KEEP_ALIVE)
      })
  }

  /** Returns the number of open streams and of their queued bytes, for the given server or for all servers. */
  held(server?: ServedServer): { readonly openStreams: number; readonly queuedBytes: number } {
    let openStreams = 0
    let queuedBytes = 0
    for (const writer of this.#open) {
      if (server !== undefined && writer.server !== server) continue
      openStreams++
      queuedBytes += writer.queuedBytes
    }
    return { openStreams, queuedBytes }
  }

  add(writer: SseWriter): void {
    if (writer.expiresAt !== undefined) this.#watch(writer)
    if (this.#own !== undefined) {
      const own = this.#recurring(() => writer.writeIfIdle(KEEP_ALIVE))
      own?.start()
      if (own !== undefined) this.#own.set(writer, own)
      return
    }
    this.#open.add(writer)
    this.#ending?.begin()
    this.#keepAlive?.start()
  }

  remove(writer: SseWriter): void {
    this.#own?.get(writer)?.stop()
    const timer = this.#expiries.get(writer)
    if (timer !== undefined) this.#clock.clearTimeout(timer)
    this.#expiries.delete(writer)
    if (!this.#open.delete(writer)) return
    this.#ending?.end()
    if (this.#open.size === 0) this.#keepAlive?.stop()
  }

  /** Waits until all streams have ended, but does not wait for slow readers. */
  async endAll(): Promise<void> {
    const ending = (this.#ending ??= new PendingWork(this.#clock, this.#open.size))
    await ending.flushed()
    for (const writer of this.#open) writer.cut()
  }

  #recurring(beat: () => void): Recurring | undefined {
    return this.#intervalMs === undefined ? undefined : new Recurring(this.#clock, this.#intervalMs, beat)
  }

  #watch(writer: SseWriter): void {
    this.#expiries.delete(writer)
    const { expiresAt } = writer
    if (expiresAt === undefined) return
    // A runtime's timers may fire slightly before the time shown by its clock.
    const left = Math.max(validUntil(expiresAt) - this.#clock.now() + 1, 1)
    const look = (): void => {
      if (this.#clock.now() > validUntil(writer.expiresAt ?? Infinity)) writer.expire()
      else this.#watch(writer)
    }
    this.#expiries.set(writer, this.#clock.setTimeout(look, Math.min(left, MAX_TIMEOUT_MS)))
  }
}
