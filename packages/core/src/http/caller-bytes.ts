import { ANONYMOUS, NETWORK } from '../stores/principal.ts'
import type { Clock } from '../util/clock.ts'
import { type Deadline, Deadlines, type Due } from '../util/timers.ts'
import { type AcceptedRequest, BodyError, type BodyReading, type Reply, type RequestBody } from './types.ts'

/**
 * The maximum number of callers that are remembered even if no bytes are held for them. They are remembered
 * because most callers return.
 */
const KNOWN_CALLERS = 1000

/**
 * The fraction of a limit that may still be used after room has been made. More room is made than necessary,
 * because choosing what to end takes time.
 */
const SPARE = 15 / 16

/** A reply, a stream or a body whose bytes a mount holds. It can be ended to make room for others. */
export interface Holding {
  /** The principal, or the network of an anonymous caller; see `networkOf`. */
  readonly holder: string
  /** The number of bytes. Only {@link CallerBytes} changes this field. */
  held: number
  /**
   * Called if the caller exceeds its share, so that its requests are not refused for long. The argument is
   * true if the bytes must be freed immediately.
   */
  shorten(atOnce: boolean): void
}

/**
 * Counts the bytes that a mount holds for its callers. One principal may use half of the limit, and all
 * anonymous callers combined may use half of it, so that no caller locks out the others. Anonymous callers
 * can use many addresses, so exceeding their half does not make the mount refuse them. Instead, the oldest
 * replies, streams or bodies of the largest network are ended.
 */
export class CallerBytes {
  readonly #limit: number
  /** The number of bytes held for each caller. */
  readonly #held = new Map<string, number>()
  /** The replies, streams and bodies that hold bytes, oldest first. */
  readonly #holdings = new Set<Holding>()
  #total = 0
  #anonymous = 0

  /** @param limit - the maximum number of bytes for all callers combined */
  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  /** Counts bytes that cannot be freed. If `bytes` is negative, the bytes are no longer held. */
  add(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) + bytes
    if (held === 0 && this.#held.size > KNOWN_CALLERS) this.#held.delete(holder)
    else this.#held.set(holder, held)
    this.#total += bytes
    if (holder.startsWith(NETWORK)) this.#anonymous += bytes
  }

  /**
   * Adds to the number of bytes held. A negative number is subtracted.
   *
   * @returns false if the caller still exceeds its limit after the bytes of others have been freed
   */
  hold(holding: Holding, bytes: number): boolean {
    const { holder } = holding
    if (bytes === 0) return true
    if (holding.held === 0) this.#holdings.add(holding)
    holding.held += bytes
    if (holding.held === 0) this.#holdings.delete(holding)
    this.add(holder, bytes)
    // This is a shortcut, because the total is nearly always small.
    if (bytes < 0 || this.#total <= this.#limit / 2) return true
    this.#makeRoom(holding)
    return !this.exceeded(holder)
  }

  /** Returns whether a caller's bytes, or those of all callers, exceed their limit. */
  exceeded(holder: string = ANONYMOUS): boolean {
    const share = this.#limit / 2
    // This is nearly always true, and it avoids a look-up.
    if (this.#total <= share) return false
    return this.#total > this.#limit || (this.#held.get(holder) ?? 0) > share
  }

  #makeRoom(added: Holding): void {
    const share = this.#limit / 2
    if (this.#anonymous > share) this.#end(added, () => this.#anonymous - share * SPARE, NETWORK)
    if (this.#total > this.#limit) this.#end(added, () => this.#total - this.#limit * SPARE, '')
    if ((this.#held.get(added.holder) ?? 0) <= share) return
    for (const holding of this.#holdings) if (holding.holder === added.holder) holding.shorten(false)
  }

  /**
   * Ends the replies, streams and bodies of the callers with most bytes, oldest first. All anonymous callers
   * count as one, and among them the largest network comes first. The newest one is kept, because its client
   * has had no time to read or send it.
   *
   * @param start - the prefix of the callers' names
   */
  #end(added: Holding, excess: () => number, start: string): void {
    const held = (holder: string): number => this.#held.get(holder) ?? 0
    const rank = (holder: string): number => (holder.startsWith(NETWORK) ? this.#anonymous : held(holder))
    const ended = [...this.#holdings].filter((each) => each !== added && each.holder.startsWith(start))
    ended.sort(({ holder: a }, { holder: b }) => rank(b) - rank(a) || held(b) - held(a))
    for (const holding of ended) {
      if (excess() <= 0) return
      holding.shorten(true)
      // Otherwise, the bytes of a reply would be counted until its socket has closed.
      this.hold(holding, -holding.held)
    }
  }
}

/** The maximum number of full-size bodies that a mount holds while it reads them. */
const MAX_BODIES = 64

/** Limits the time for reading each body, and the number of bytes in all bodies that a mount is reading. */
export class BodyBudget {
  readonly bodyLimit: number
  readonly timeoutMs: number
  readonly deadlines: Deadlines
  readonly held: CallerBytes
  /** Set when the mount has closed. No body is read afterwards. */
  closed = false

  /** @param limits - the options `limits.bodyBytes` and `limits.bodyTimeoutMs` */
  constructor(clock: Clock, limits: { readonly bodyTimeoutMs: number; readonly bodyLimit: number }) {
    this.bodyLimit = limits.bodyLimit
    this.timeoutMs = limits.bodyTimeoutMs
    this.held = new CallerBytes(limits.bodyLimit * MAX_BODIES)
    this.deadlines = new Deadlines(clock, limits.bodyTimeoutMs)
  }

  /** Stops reading all bodies, and refuses later ones. */
  close(): void {
    this.closed = true
    this.deadlines.expireAll()
  }
}

/** An accepted request that counts the bytes read from its body and limits the time for reading it. */
export class AcceptedBody implements AcceptedRequest, BodyReading, Due, Holding {
  readonly bodyLimit: number
  readonly reading: BodyReading
  readonly answer: (body: RequestBody | Error) => Reply
  readonly holder: string
  held: number
  deadline: Deadline | undefined
  readonly #budget: BodyBudget
  #stop: ((error: BodyError) => void) | undefined

  constructor(budget: BodyBudget, holder: string = NETWORK, answer: (body: RequestBody | Error) => Reply) {
    this.bodyLimit = budget.bodyLimit
    this.reading = this
    this.answer = answer
    this.holder = holder
    this.held = 0
    this.#budget = budget
  }

  begin(stop: (error: BodyError) => void): void {
    this.#stop = stop
    if (this.#budget.closed) this.due()
    else this.#budget.deadlines.add(this)
  }

  add(bytes: number): BodyError | undefined {
    return this.#budget.held.hold(this, bytes) ? undefined : BodyError.tooMany()
  }

  end(): void {
    this.#stop = undefined
    this.#budget.deadlines.remove(this)
    this.#budget.held.hold(this, -this.held)
  }

  due(): void {
    this.#fail(BodyError.tooSlow(this.#budget.timeoutMs))
  }

  shorten(atOnce: boolean): void {
    if (atOnce) this.#fail(BodyError.tooMany())
  }

  #fail(error: BodyError): void {
    const stop = this.#stop
    this.end()
    stop?.(error)
  }
}
