import { ANONYMOUS, isNetwork, networkOf } from '../stores/principal.ts'
import type { Clock } from '../util/clock.ts'
import { type Deadline, Deadlines, type Due } from '../util/timers.ts'
import { type AcceptedRequest, BodyError, type BodyReading, type Reply, type RequestBody } from './types.ts'

/**
 * The maximum number of callers that are remembered even if they hold no bytes, because most callers call
 * again.
 */
const KNOWN_CALLERS = 1000

/** The part of a limit that is held after room was made, because finding what to end takes time. */
const SPARE = 15 / 16

/** A reply, a stream or a body whose bytes a mount holds, and which can be ended to make room for others. */
export interface Holding {
  /** The principal, or the network of an anonymous caller: see `networkOf`. */
  readonly holder: string
  /** The number of bytes. Only {@link CallerBytes} changes it. */
  held: number
  /**
   * Called if the holder has more than its share, so that it is not refused for long; with true if the bytes must be
   * free at once.
   */
  shorten(atOnce: boolean): void
}

/**
 * Counts the bytes that a mount holds for its callers. A principal may have half of the limit, and so may all anonymous
 * callers together, so that no caller keeps the others out. Anonymous callers can use many addresses, so beyond their
 * half nobody is refused: what the largest network has held for longest is ended.
 */
export class CallerBytes {
  readonly #limit: number
  /** The bytes held, by holder. */
  readonly #held = new Map<string, number>()
  /** What holds bytes, the oldest first. */
  readonly #holdings = new Set<Holding>()
  #total = 0
  #anonymous = 0

  /** @param limit - the maximum number of bytes for all callers together */
  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  /** Counts bytes that cannot be freed. If `bytes` is negative, they are no longer held. */
  add(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) + bytes
    if (held === 0 && this.#held.size > KNOWN_CALLERS) this.#held.delete(holder)
    else this.#held.set(holder, held)
    this.#total += bytes
    if (isNetwork(holder)) this.#anonymous += bytes
  }

  /**
   * Counts more bytes, or fewer if `bytes` is negative.
   *
   * @returns false if the holder has too many bytes, even after others have made room
   */
  hold(holding: Holding, bytes: number): boolean {
    const { holder } = holding
    if (bytes === 0) return true
    if (holding.held === 0) this.#holdings.add(holding)
    holding.held += bytes
    if (holding.held === 0) this.#holdings.delete(holding)
    this.add(holder, bytes)
    // The total is nearly always small.
    if (bytes < 0 || this.#total <= this.#limit / 2) return true
    this.#makeRoom(holding)
    return !this.exceeded(holder)
  }

  /** Returns whether a holder's bytes, or those of all callers, exceed their limit. */
  exceeded(holder: string = ANONYMOUS): boolean {
    const share = this.#limit / 2
    // This is nearly always true, and avoids a look-up.
    if (this.#total <= share) return false
    return this.#total > this.#limit || (this.#held.get(holder) ?? 0) > share
  }

  #makeRoom(added: Holding): void {
    const share = this.#limit / 2
    if (this.#anonymous > share) this.#end(added, () => this.#anonymous - share * SPARE, isNetwork)
    if (this.#total > this.#limit)
      this.#end(
        added,
        () => this.#total - this.#limit * SPARE,
        () => true,
      )
    if ((this.#held.get(added.holder) ?? 0) <= share) return
    for (const holding of this.#holdings) if (holding.holder === added.holder) holding.shorten(false)
  }

  /**
   * Ends what the largest holders have, the oldest first. All anonymous callers count as one holder, and among them the
   * largest network comes first. Keeps what was added last, because its client has had no time to read or send it.
   */
  #end(added: Holding, excess: () => number, isAmong: (holder: string) => boolean): void {
    const held = (holder: string): number => this.#held.get(holder) ?? 0
    const rank = (holder: string): number => (isNetwork(holder) ? this.#anonymous : held(holder))
    const ended = [...this.#holdings].filter((each) => each !== added && isAmong(each.holder))
    ended.sort(({ holder: a }, { holder: b }) => rank(b) - rank(a) || held(b) - held(a))
    for (const holding of ended) {
      if (excess() <= 0) return
      holding.shorten(true)
      // The bytes of a reply would otherwise be counted until its socket has closed.
      this.hold(holding, -holding.held)
    }
  }
}

/** The maximum number of full-size bodies that a mount holds while it reads them. */
const MAX_BODIES = 64

/** Limits the time for reading each body, and the bytes of all bodies that a mount is reading. */
export class BodyBudget {
  readonly bodyLimit: number
  readonly timeoutMs: number
  readonly deadlines: Deadlines
  readonly held: CallerBytes
  /** Set when the mount has closed. Bodies are not read afterwards. */
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

  constructor(
    budget: BodyBudget,
    holder: string = networkOf(),
    answer: (body: RequestBody | Error) => Reply,
  ) {
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
