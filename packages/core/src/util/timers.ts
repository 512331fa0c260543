import type { Clock } from './clock.ts'
import { type Linked, LinkedList } from './linked-list.ts'
import { isolatedRequests } from './platform.ts'
import type { Awaitable } from './promises.ts'

/** Allows the process to exit while the timer is pending, on runtimes with `unref`. */
function unref(timer: unknown): void {
  const { unref: release } = Object(timer) as { readonly unref?: () => void }
  release?.call(timer)
}

/** Runs a function at regular intervals while it is started. */
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
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

export interface Due {
  /** Set by {@link Deadlines}. */
  deadline: Deadline | undefined
  /** Called once, unless the member is removed first. */
  due(): void
}

/** The time at which a member is due. */
export class Deadline implements Linked<Deadline> {
  list: LinkedList<Deadline> | undefined
  previous: Deadline | undefined
  next: Deadline | undefined
  readonly member: Due
  readonly at: number
  /** Set if requests are isolated. */
  timer: unknown

  constructor(member: Due, at: number) {
    this.member = member
    this.at = at
  }
}

/**
 * Calls each member a fixed time after it was added. All members wait for the same time, so a single timer for
 * the oldest member is sufficient, and a call that ends in time does not need its own timer. If requests are
 * isolated, each member has its own timer. Only the member refers to that timer, because some requests end
 * undetected. A member is in only one `Deadlines` at a time.
 */
export class Deadlines {
  readonly #clock: Clock
  readonly #ms: number
  /** The deadlines, sorted by time. */
  readonly #deadlines = new LinkedList<Deadline>()
  readonly #isolated = isolatedRequests()
  #timer: unknown

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** Adds a member. If it has already been added, its deadline restarts. */
  add(member: Due): void {
    this.remove(member)
    const deadline = new Deadline(member, this.#clock.now() + this.#ms)
    member.deadline = deadline
    if (this.#isolated) {
      deadline.timer = this.#clock.setTimeout(() => this.#expire(deadline), this.#ms)
      return
    }
    this.#deadlines.add(deadline)
    if (this.#timer === undefined) this.#arm(this.#ms)
  }

  remove(member: Due): void {
    const { deadline } = member
    if (deadline === undefined) return
    member.deadline = undefined
    deadline.list?.remove(deadline)
    if (deadline.timer !== undefined) this.#clock.clearTimeout(deadline.timer)
  }

  /** Clears the timer if there are no members left. */
  releaseTimer(): void {
    if (this.#deadlines.first === undefined) this.clear()
  }

  clear(): void {
    for (let first = this.#deadlines.first; first !== undefined; first = this.#deadlines.first)
      this.remove(first.member)
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Calls all members immediately. */
  expireAll(): void {
    for (let first = this.#deadlines.first; first !== undefined; first = this.#deadlines.first)
      this.#expire(first)
    this.clear()
  }

  #expire({ member }: Deadline): void {
    this.remove(member)
    member.due()
  }

  #arm(ms: number): void {
    this.#clock.clearTimeout(this.#timer)
    this.#timer = this.#clock.setTimeout(() => this.#fire(), ms)
    unref(this.#timer)
  }

  #fire(): void {
    this.#timer = undefined
    const now = this.#clock.now()
    for (let first = this.#deadlines.first; first !== undefined; first = this.#deadlines.first) {
      const left = first.at - now
      // No member has to wait longer than this, unless the clock was set back.
      if (left > 0 && left <= this.#ms) {
        // `due` may have added a member again. The timer that it started would then be too late for this
        // member.
        this.#arm(left)
        return
      }
      this.#expire(first)
    }
  }
}

/** The pauses between attempts, in ms: 3 s in total. */
const PAUSES_MS = [50, 150, 300, 500, 1_000, 1_000]

/** Retries a rejected store or node operation for 3 s, because a networked one may soon work again. */
export function retried<T>(clock: Clock, step: () => Awaitable<T>): Awaitable<T> {
  const first = step()
  return first instanceof Promise ? retry(clock, first, step) : first
}

export async function retry<T>(clock: Clock, first: Promise<T>, step: () => Awaitable<T>): Promise<T> {
  let result: Awaitable<T> = first
  for (const pause of PAUSES_MS) {
    try {
      return await result
    } catch {
      // A closed server must not wait for this timer.
      await new Promise<void>((resolve) => unref(clock.setTimeout(resolve, pause)))
      result = step()
    }
  }
  return result
}
