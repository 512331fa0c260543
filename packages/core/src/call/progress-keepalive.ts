import type { Clock } from '../util/clock.ts'
import type { CallContext } from './context.ts'
import { Deadlines, type Due } from '../util/timers.ts'

/**
 * Sends progress for handlers that are silent. A comment in a stream keeps the connection open, but only progress restarts
 * the request timer of a client. All calls share one timer.
 */
export class ProgressKeepalive {
  readonly #silent: Deadlines

  /** @param ms - how long a handler may be silent */
  constructor(clock: Clock, ms: number) {
    this.#silent = new Deadlines(clock, ms)
  }

  /** Follows a call until it ends, if its client asked for progress. */
  follow(ctx: CallContext): void {
    if (ctx.wantsProgress) ctx.keepalive = new SilentCall(ctx, this.#silent)
  }

  releaseTimers(): void {
    this.#silent.releaseTimer()
  }
}

class SilentCall implements Due {
  readonly #ctx: CallContext
  readonly #silent: Deadlines

  constructor(ctx: CallContext, silent: Deadlines) {
    this.#ctx = ctx
    this.#silent = silent
    silent.add(this)
  }

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
