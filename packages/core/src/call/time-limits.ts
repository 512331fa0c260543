import type { Clock } from '../util/clock.ts'
import type { CallContext } from './context.ts'
import { Deadlines, type Due } from '../util/timers.ts'

/**
 * Ends calls that report no progress for too long, or that last too long in total. Nearly all calls end in time, so calls
 * with the same limit share one timer; a call gets its own timer when progress or a question has moved its deadline.
 */
export class TimeLimits {
  readonly #clock: Clock
  readonly #maxMs: number
  /** By the limit in ms: the server's, and those of tools. */
  readonly #deadlines = new Map<number, Deadlines>()

  constructor(clock: Clock, maxMs: number) {
    this.#clock = clock
    this.#maxMs = maxMs
  }

  start(ctx: CallContext, limitMs: number): Timer {
    let deadlines = this.#deadlines.get(limitMs)
    if (deadlines === undefined) {
      deadlines = new Deadlines(this.#clock, limitMs)
      this.#deadlines.set(limitMs, deadlines)
    }
    return new Timer(ctx, { clock: this.#clock, deadlines, limitMs, maxMs: Math.max(limitMs, this.#maxMs) })
  }

  releaseTimers(): void {
    for (const deadlines of this.#deadlines.values()) deadlines.releaseTimer()
  }
}

interface TimerOptions {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly limitMs: number
  readonly maxMs: number
}

class Timer implements Due {
  readonly #ctx: CallContext
  readonly #options: TimerOptions
  readonly #start: number
  #lastProgress: number
  /** The time that the client took to answer questions, which moves both limits. */
  #paused = 0
  #pausedAt: number | undefined
  #own: unknown

  constructor(ctx: CallContext, options: TimerOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#start = this.#lastProgress = options.clock.now()
    options.deadlines.add(this)
    ctx.timer = this
    // A handler may ask before its first await, and so before this timer exists.
    if (ctx.paused) this.pause()
  }

  stop(): void {
    this.#options.deadlines.remove(this)
    this.#clear()
  }

  progress(): void {
    this.#lastProgress = this.#options.clock.now() - this.#paused
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
    const left = Math.min(this.#lastProgress + limitMs, this.#start + maxMs) + this.#paused - clock.now()
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
