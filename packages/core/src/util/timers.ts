import type { Clock } from './clock.ts'
import { isolatedRequests } from './platform.ts'

/** Lets the process end while the timer waits, on runtimes with `unref`. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref()
}

/** Runs a function at an interval while it is started. */
export class Recurring {
  readonly #clock: Clock
  readonly #ms: number
  readonly #run: () => void
  #timer: unknown

  constructor(clock: Clock, ms: number, run: () => void) {
    this.#clock = clock
    this.#ms = ms
    this.#run = run
  }

  start(): void {
    if (this.#timer !== undefined) return
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined
      this.start()
      this.#run()
    }, this.#ms)
    unref(this.#timer)
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

export interface Due {
  /** Called once, unless the member is removed first. */
  due(): void
}

/**
 * Calls each member a fixed time after it was added. All wait equally long, so one timer for the oldest serves them all: a
 * call that ends in time costs an entry in a map, and no timer. Where requests are isolated each member has its own timer,
 * held weakly, since some requests end unnoticed.
 */
export class Deadlines {
  readonly #clock: Clock
  readonly #ms: number
  /** In the order of their deadlines. */
  readonly #members = new Map<Due, number>()
  readonly #own: WeakMap<Due, unknown> | undefined
  #timer: unknown

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
    if (isolatedRequests()) this.#own = new WeakMap()
  }

  add(member: Due): void {
    if (this.#own !== undefined) {
      this.remove(member)
      this.#own.set(
        member,
        this.#clock.setTimeout(() => this.#expire(member), this.#ms),
      )
      return
    }
    this.#members.set(member, this.#clock.now() + this.#ms)
    if (this.#timer === undefined) this.#arm(this.#ms)
  }

  remove(member: Due): void {
    this.#members.delete(member)
    if (this.#own?.has(member)) this.#clock.clearTimeout(this.#own.get(member))
    this.#own?.delete(member)
  }

  /** Clears the timer if there are no members. */
  releaseTimer(): void {
    if (this.#members.size === 0) this.clear()
  }

  clear(): void {
    this.#members.clear()
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #expire(member: Due): void {
    this.#members.delete(member)
    this.#own?.delete(member)
    member.due()
  }

  #arm(ms: number): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#timer = this.#clock.setTimeout(() => this.#fire(), ms)
    unref(this.#timer)
  }

  #fire(): void {
    this.#timer = undefined
    const now = this.#clock.now()
    for (const [member, at] of this.#members) {
      if (at > now) {
        // A member added again by `due` may have armed a timer that is too late for this one.
        this.#arm(at - now)
        return
      }
      this.#expire(member)
    }
  }
}
