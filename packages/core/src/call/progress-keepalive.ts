import type { Clock } from '../util/clock.ts'
import type { CallContext } from './context.ts'
import { Deadlines, type Due } from '../util/timers.ts'

/**
 * Tells clients that their calls still run, where the handler has said nothing for a while. A comment keeps a connection
 * open and never reaches the client's own request timer; progress starts that one anew. All calls share one timer.
 */
export class ProgressKeepalive {
  readonly #silent: Deadlines

  /** @param ms - how long a call may be silent before it is spoken for */
  constructor(clock: Clock, ms: number) {
    this.#silent = new Deadlines(clock, ms)
  }

  /** Speaks for a call until it ends, if its client has asked for progress. */
  follow(ctx: CallContext): void {
    if (ctx.wantsProgress) ctx.keepalive = new Heartbeat(ctx, this.#silent)
  }

  /** Lets go of the timer if no call needs it. */
  releaseTimers(): void {
    this.#silent.releaseTimer()
  }
}

/** The heartbeat of one call. */
class Heartbeat implements Due {
  readonly #ctx: CallContext
  readonly #silent: Deadlines

  constructor(ctx: CallContext, silent: Deadlines) {
    this.#ctx = ctx
    this.#silent = silent
    silent.add(this)
  }

  /** The handler has spoken for itself. */
  restart(): void {
    this.#silent.remove(this)
    this.#silent.add(this)
  }

  stop(): void {
    this.#silent.remove(this)
  }

  due(): void {
    this.#silent.add(this)
    this.#ctx.sendKeepalive()
  }
}
