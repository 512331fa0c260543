import type { Clock } from '../util/clock.ts'
import type { CallContext } from './context.ts'
import { Deadlines, type Due } from '../util/timers.ts'

/**
 * Ends calls that show no sign of life, or last too long whatever they report. Nearly all calls end in time, so those
 * with the same limit share one timer; a call gets one of its own when progress or a question has moved its deadline.
 */
export class TimeLimits {
  readonly #clock: Clock
  readonly #maxMs: number
  /** By the limit in ms: the server's own, and those that tools have. */
  readonly #deadlines = new Map<number, Deadlines>()

  constructor(clock: Clock, maxMs: number) {
    this.#clock = clock
    this.#maxMs = maxMs
  }

  /** Watches over a call until the returned watch is told to stop. */
  watch(ctx: CallContext, limitMs: number): Watch {
    let deadlines = this.#deadlines.get(limitMs)
    if (deadlines === undefined) {
      deadlines = new Deadlines(this.#clock, limitMs)
      this.#deadlines.set(limitMs, deadlines)
    }
    return new Watch(ctx, { clock: this.#clock, deadlines, limitMs, maxMs: Math.max(limitMs, this.#maxMs) })
  }

  /** Lets go of the timers that nobody waits for; runtimes that cannot unref a timer would stay up for them. */
  releaseTimers(): void {
    for (const deadlines of this.#deadlines.values()) deadlines.releaseTimer()
  }
}

interface WatchOptions {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly limitMs: number
  readonly maxMs: number
}

class Watch implements Due {
  readonly #ctx: CallContext
  readonly #options: WatchOptions
  readonly #start: number
  #alive: number
  /** Time that the client's side took over questions, which moves both limits. */
  #paused = 0
  #pausedAt: number | undefined
  #own: unknown

  constructor(ctx: CallContext, options: WatchOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#start = this.#alive = options.clock.now()
    options.deadlines.add(this)
    ctx.timer = this
    // A handler may have asked before it first waited, and so before it was watched.
    if (ctx.paused) this.pause()
  }

  stop(): void {
    this.#options.deadlines.remove(this)
    this.#clear()
  }

  progress(): void {
    this.#alive = this.#options.clock.now() - this.#paused
  }

  pause(): void {
    this.#pausedAt = this.#options.clock.now()
  }

  resume(): void {
    const now = this.#options.clock.now()
    this.#paused += now - (this.#pausedAt ?? now)
    this.#pausedAt = undefined
    this.due()
  }

  due(): void {
    if (this.#pausedAt !== undefined) return
    const { clock, limitMs, maxMs, deadlines } = this.#options
    const left = Math.min(this.#alive + limitMs, this.#start + maxMs) + this.#paused - clock.now()
    deadlines.remove(this)
    this.#clear()
    if (left > 0) this.#own = clock.setTimeout(() => this.due(), left)
    else this.#ctx.end?.('timeout')
  }

  #clear(): void {
    if (this.#own !== undefined) this.#options.clock.clearTimeout(this.#own)
    this.#own = undefined
  }
}
