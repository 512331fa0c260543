import { ANONYMOUS } from '../stores/principal.ts'
import type { Clock } from '../util/clock.ts'
import { type Deadline, Deadlines, type Due } from '../util/timers.ts'
import { type AcceptedRequest, BodyError, type BodyReading, type Reply, type RequestBody } from './types.ts'

/**
 * The maximum number of callers that are remembered even if no bytes are held for them, because most callers
 * return.
 */
const KNOWN_CALLERS = 1000

interface HeldReply {
  readonly caller: string
  readonly bytes: number
  readonly shorten: (atOnce: boolean) => void
}

/**
 * Counts the bytes that a mount holds for its callers, by principal or by the address of an anonymous caller.
 * One caller may use half of the limit, so that it cannot lock out the others.
 */
export class CallerBytes {
  readonly #limit: number
  /** The bytes held, by caller. */
  readonly #held = new Map<string, number>()
  readonly #replies = new Set<HeldReply>()
  #total = 0

  /** @param limit - the maximum number of bytes for all callers combined */
  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  /**
   * @param bytes - negative for bytes that are no longer held
   * @returns false if the caller's bytes, or those of all callers, now exceed their limit
   */
  add(caller: string, bytes: number): boolean {
    const held = (this.#held.get(caller) ?? 0) + bytes
    if (held === 0 && this.#held.size > KNOWN_CALLERS) this.#held.delete(caller)
    else this.#held.set(caller, held)
    this.#total += bytes
    // The total is nearly always small.
    return this.#total <= this.#limit / 2 || !this.exceeded(caller)
  }

  /**
   * Counts the bytes of a reply until the returned function is called.
   *
   * @param shorten - called once if too many bytes are held for the caller, so that the caller is not refused
   * for long. The argument is true if too many bytes are held for all callers combined, so that the caller with
   * the most bytes makes room for the others immediately
   */
  hold(caller: string, bytes: number, shorten: HeldReply['shorten']): () => void {
    const reply = { caller, bytes, shorten }
    this.#replies.add(reply)
    if (!this.add(caller, bytes)) this.#shorten(reply)
    return () => {
      this.#replies.delete(reply)
      this.add(caller, -bytes)
    }
  }

  #shorten(added: HeldReply): void {
    let excess = this.#total - this.#limit
    const atOnce = excess > 0
    const largest = (a: [string, number], b: [string, number]) => (a[1] >= b[1] ? a : b)
    const [chosen] = atOnce ? [...this.#held].reduce(largest) : [added.caller]
    for (const reply of this.#replies) {
      if (reply.caller !== chosen || (atOnce && excess <= 0)) continue
      this.#replies.delete(reply)
      excess -= reply.bytes
      // The client has not had time to read the reply that was just added.
      reply.shorten(atOnce && reply !== added)
    }
  }

  /** Returns whether a caller's bytes, or those of all callers, exceed their limit. */
  exceeded(caller: string = ANONYMOUS): boolean {
    const ofCaller = this.#limit / 2
    // This is nearly always true, and it avoids a look-up.
    if (this.#total <= ofCaller) return false
    return this.#total > this.#limit || (this.#held.get(caller) ?? 0) > ofCaller
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
export class AcceptedBody implements AcceptedRequest, BodyReading, Due {
  readonly bodyLimit: number
  readonly reading: BodyReading
  readonly answer: (body: RequestBody | Error) => Reply
  deadline: Deadline | undefined
  readonly #budget: BodyBudget
  readonly #caller: string
  #bytes: number
  #stop: ((error: BodyError) => void) | undefined

  constructor(budget: BodyBudget, caller: string = ANONYMOUS, answer: (body: RequestBody | Error) => Reply) {
    this.bodyLimit = budget.bodyLimit
    this.reading = this
    this.answer = answer
    this.#budget = budget
    this.#caller = caller
    this.#bytes = 0
  }

  begin(stop: (error: BodyError) => void): void {
    this.#stop = stop
    if (this.#budget.closed) this.due()
    else this.#budget.deadlines.add(this)
  }

  add(bytes: number): BodyError | undefined {
    this.#bytes += bytes
    return this.#budget.held.add(this.#caller, bytes) ? undefined : BodyError.tooMany()
  }

  end(): void {
    this.#stop = undefined
    this.#budget.deadlines.remove(this)
    this.#budget.held.add(this.#caller, -this.#bytes)
    this.#bytes = 0
  }

  due(): void {
    const stop = this.#stop
    this.end()
    stop?.(BodyError.tooSlow(this.#budget.timeoutMs))
  }
}
