import type { Clock } from '../../util/clock.ts'
import { type Deadline, Deadlines, type Due } from '../../util/timers.ts'
import { CallerBytes } from '../caller-bytes.ts'
import { BodyError, type BodyReading } from '../types.ts'

/** Whole bodies that a mount may hold while it reads them. */
const MAX_BODIES = 64

export interface BodyLimits {
  /** How long a body may take, in ms. */
  readonly bodyTimeoutMs: number
  /** Bytes of one body. */
  readonly bodyLimit: number
}

/** Limits the time of each body that a mount reads, and the bytes of all together. */
export class BodyBudget {
  readonly #limits: BodyLimits
  readonly #deadlines: Deadlines
  readonly #held: CallerBytes
  #closed = false

  constructor(clock: Clock, limits: BodyLimits) {
    this.#limits = limits
    this.#held = new CallerBytes(limits.bodyLimit * MAX_BODIES)
    this.#deadlines = new Deadlines(clock, limits.bodyTimeoutMs)
  }

  /** For one body. Costs nothing before its `begin`. */
  reading(principal: string): BodyReading {
    return new LimitedReading(this, principal)
  }

  start(reading: LimitedReading): void {
    if (this.#closed) reading.due()
    else this.#deadlines.add(reading)
  }

  /** Adds bytes that a body has brought; false if those of its caller, or of all, exceed their limit. */
  take(principal: string, bytes: number): boolean {
    this.#held.add(principal, bytes)
    return !this.#held.exceeded(principal)
  }

  stop(reading: LimitedReading): void {
    this.#deadlines.remove(reading)
  }

  tooSlow(): BodyError {
    return BodyError.tooSlow(this.#limits.bodyTimeoutMs)
  }

  /** Ends the reading of all bodies, now and later. */
  close(): void {
    this.#closed = true
    this.#deadlines.expireAll()
  }
}

class LimitedReading implements BodyReading, Due {
  deadline: Deadline | undefined
  readonly #budget: BodyBudget
  readonly #principal: string
  #bytes = 0
  #stop: ((error: BodyError) => void) | undefined

  constructor(budget: BodyBudget, principal: string) {
    this.#budget = budget
    this.#principal = principal
  }

  begin(stop: (error: BodyError) => void): void {
    this.#stop = stop
    this.#budget.start(this)
  }

  add(bytes: number): BodyError | undefined {
    this.#bytes += bytes
    return this.#budget.take(this.#principal, bytes) ? undefined : BodyError.tooMany()
  }

  end(): void {
    this.#stop = undefined
    this.#budget.stop(this)
    this.#budget.take(this.#principal, -this.#bytes)
    this.#bytes = 0
  }

  due(): void {
    const stop = this.#stop
    this.end()
    stop?.(this.#budget.tooSlow())
  }
}
