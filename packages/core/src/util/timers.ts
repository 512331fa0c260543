import type { Clock } from './clock.ts'
import { type Linked, LinkedList } from './linked-list.ts'
import { isolatedRequests } from './platform.ts'
import type { Awaitable } from './promises.ts'

/** Lets the process exit while the timer is pending, on runtimes that have `unref`. */
function unref(timer: unknown): void {
  const { unref: release } = Object(timer) as { readonly unref?: () => void }
  release?.call(timer)
}

/** Runs a function at regular intervals between start and stop. */
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
  /** Called once when the deadline passes, unless the member has been removed. */
  due(): void
}

/** A deadline: a member, and the time at which it is due. */
export class Deadline implements Linked<Deadline> {
  list: LinkedList<Deadline> | undefined
  previous: Deadline | undefined
  next: Deadline | undefined
  readonly member: Due
  readonly at: number
  /** Set only if the platform isolates requests. */
  timer: unknown

  constructor(member: Due, at: number) {
    this.member = member
    this.at = at
  }
}

/**
 * Calls each member a fixed time after it was added. Because this time is the same for all members, one timer
 * for the oldest member is sufficient, and a call that ends in time needs no timer of its own. If the
 * platform isolates requests, each member has a separate timer, to which only the member refers, because some
 * requests end undetected. A member can be in only one `Deadlines` at a time.
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

  /** Adds a member, or restarts its deadline if it has already been added. */
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
      // A longer remaining time means that the clock was set back.
      if (left > 0 && left <= this.#ms) {
        // `due` may have added the member again, and thereby started a timer that would be too late for this one.
        this.#arm(left)
        return
      }
      this.#expire(first)
    }
  }
}

/** The pauses between attempts, in ms: 3 s in total. */
const PAUSES_MS = [50, 150, 300, 500, 1_000, 1_000]

/** Retries a rejected store or node operation for 3 s, because a network failure may be brief. */
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
      // This timer must not keep a closed server's process alive.
      await new Promise<void>((resolve) => unref(clock.setTimeout(resolve, pause)))
      result = step()
    }
  }
  return result
}
