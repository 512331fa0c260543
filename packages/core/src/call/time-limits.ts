import type { Clock } from '../util/clock.ts'
import type { CallContext } from './context.ts'
import { type Deadline, Deadlines, type Due } from '../util/timers.ts'

/**
 * Ends calls that report no progress for too long, or that run too long in total. Nearly all calls end in time,
 * so calls with the same limit share one timer. A call receives its own timer when progress or a question moves
 * its deadline.
 */
export class TimeLimits {
  readonly #clock: Clock
  readonly #maxMs: number
  /**
   * The deadlines, keyed by their limit in ms: one for the server's limit, and one for each different limit
   * of a tool.
   */
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

/** The limit that a call has exceeded. */
interface ExceededLimit {
  readonly ms: number
  /** `silence` is the limit on time without progress, and `call` is the limit on the whole call. */
  readonly of: 'silence' | 'call'
}

/**
 * Returns the messages for a call that exceeded a time limit: the problem, which is sent to the client and
 * logged, and the remedy, which is only logged.
 *
 * @param exceeded - undefined if its task has expired
 * @param own - whether the definition sets the limit on time without progress
 */
export function describeTimeout(
  exceeded: ExceededLimit | undefined,
  own: boolean,
): { readonly problem: string; readonly fix: string } {
  if (exceeded === undefined)
    return { problem: 'took longer than its task may', fix: 'Raise tasks.defaultTtlMs and tasks.maxTtlMs.' }
  const { of, ms } = exceeded
  if (of === 'call')
    return {
      problem: `took longer than ${ms} ms`,
      fix: 'Raise limits.maxHandlerTimeoutMs, or run the tool as a task: taskSupport.',
    }
  const option = own
    ? 'timeoutMs of the definition'
    : 'limits.handlerTimeoutMs, or timeoutMs of the definition'
  return {
    problem: `reported no progress for ${ms} ms`,
    fix: `Call ctx.progress in the handler, or raise ${option}.`,
  }
}

interface TimerOptions {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly limitMs: number
  readonly maxMs: number
}

class Timer implements Due {
  deadline: Deadline | undefined
  readonly #ctx: CallContext
  readonly #options: TimerOptions
  /** Set when a limit has been exceeded. */
  exceeded: ExceededLimit | undefined
  readonly #start: number
  #lastProgress: number
  /** The time spent waiting for the client's answers. Both limits are extended by this time. */
  #paused = 0
  #pausedAt: number | undefined
  #own: unknown

  constructor(ctx: CallContext, options: TimerOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#start = this.#lastProgress = options.clock.now()
    options.deadlines.add(this)
    ctx.timer = this
    // A handler may ask a question before its first await, when this timer does not exist yet.
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
    const silent = this.#lastProgress + limitMs
    const whole = this.#start + maxMs
    const left = Math.min(silent, whole) + this.#paused - clock.now()
    deadlines.remove(this)
    this.#clear()
    if (left > 0) {
      this.#own = clock.setTimeout(() => this.due(), left)
      return
    }
    this.exceeded = silent <= whole ? { of: 'silence', ms: limitMs } : { of: 'call', ms: maxMs }
    this.#ctx.end?.('timeout')
  }

  #clear(): void {
    if (this.#own !== undefined) this.#options.clock.clearTimeout(this.#own)
    this.#own = undefined
  }
}
