import type { Clock } from '../util/clock.ts'
import { type Deadline, Deadlines, type Due } from '../util/timers.ts'
import { type AcceptedRequest, BodyError, type BodyReading, type Reply, type RequestBody } from './types.ts'

/** Callers that are remembered without bytes, since most of them call again. */
const KNOWN_CALLERS = 1000

interface HeldReply {
  readonly principal: string
  readonly shorten: () => void
}

/**
 * Bytes that a mount holds for its callers. One caller may have half of the limit, so that none can keep
 * the others out. All anonymous callers count as one.
 */
export class CallerBytes {
  readonly #limit: number
  /** By principal. */
  readonly #held = new Map<string, number>()
  readonly #replies = new Set<HeldReply>()
  #total = 0

  /** @param limit - bytes of all callers together */
  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  /**
   * @param bytes - negative when they are no longer held
   * @returns false if the bytes of the caller, or of all, exceed their limit now
   */
  add(principal: string, bytes: number): boolean {
    const held = (this.#held.get(principal) ?? 0) + bytes
    if (held === 0 && this.#held.size > KNOWN_CALLERS) this.#held.delete(principal)
    else this.#held.set(principal, held)
    this.#total += bytes
    // Nearly always the total is small.
    return this.#total <= this.#limit / 2 || !this.exceeded(principal)
  }

  /**
   * Adds the bytes of a reply until the returned function is called.
   *
   * @param shorten - called once if the caller, or all together, hold too much: some replies must end soon,
   *   so that callers are not refused for long
   */
  hold(principal: string, bytes: number, shorten: () => void): () => void {
    const reply = { principal, shorten }
    this.#replies.add(reply)
    if (!this.add(principal, bytes)) this.#shorten(principal)
    return () => {
      this.#replies.delete(reply)
      this.add(principal, -bytes)
    }
  }

  #shorten(principal: string): void {
    const all = this.#total > this.#limit
    for (const reply of this.#replies) {
      if (!all && reply.principal !== principal) continue
      this.#replies.delete(reply)
      reply.shorten()
    }
  }

  /** Whether the bytes of a caller, or of all, exceed their limit. */
  exceeded(principal: string): boolean {
    const ofCaller = this.#limit / 2
    // Nearly always, and costs no look-up.
    if (this.#total <= ofCaller) return false
    return this.#total > this.#limit || (this.#held.get(principal) ?? 0) > ofCaller
  }
}

/** How many full bodies a mount may hold while it reads them. */
const MAX_BODIES = 64

/** Limits the time of each body that a mount reads, and the bytes of all bodies together. */
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

  /** Ends the reading of all bodies, current and later ones. */
  close(): void {
    this.closed = true
    this.deadlines.expireAll()
  }
}

/** An accepted request, and the account of its body: the bytes that were read, and the remaining time. */
export class AcceptedBody implements AcceptedRequest, BodyReading, Due {
  readonly bodyLimit: number
  readonly reading: BodyReading
  readonly answer: (body: RequestBody | Error) => Reply
  deadline: Deadline | undefined
  readonly #budget: BodyBudget
  readonly #principal: string
  #bytes: number
  #stop: ((error: BodyError) => void) | undefined

  constructor(budget: BodyBudget, principal: string, answer: (body: RequestBody | Error) => Reply) {
    this.bodyLimit = budget.bodyLimit
    this.reading = this
    this.answer = answer
    this.#budget = budget
    this.#principal = principal
    this.#bytes = 0
  }

  begin(stop: (error: BodyError) => void): void {
    this.#stop = stop
    if (this.#budget.closed) this.due()
    else this.#budget.deadlines.add(this)
  }

  add(bytes: number): BodyError | undefined {
    this.#bytes += bytes
    return this.#budget.held.add(this.#principal, bytes) ? undefined : BodyError.tooMany()
  }

  end(): void {
    this.#stop = undefined
    this.#budget.deadlines.remove(this)
    this.#budget.held.add(this.#principal, -this.#bytes)
    this.#bytes = 0
  }

  due(): void {
    const stop = this.#stop
    this.end()
    stop?.(BodyError.tooSlow(this.#budget.timeoutMs))
  }
}
