import type { Clock } from '../../util/clock.ts'
import { type Deadline, Deadlines, type Due } from '../../util/timers.ts'
import { CallerBytes } from '../caller-bytes.ts'
import { type AcceptedRequest, BodyError, type BodyReading, type Reply, type RequestBody } from '../types.ts'

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
