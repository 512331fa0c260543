import type { Clock } from '../util/clock.ts'
import { type Deadline, Deadlines, type Due } from '../util/timers.ts'
import { BodyError, type BodyReading } from './types.ts'

/**
 * Whole bodies of one caller that a mount may hold while it reads them. All anonymous callers count as one.
 */
const MAX_OF_CALLER = 32
/**
 * Whole bodies of all callers. It is more than one caller may have, so that none can
 * keep the others from sending.
 */
const MAX_BODIES = 64
/**
 * Callers whose bytes are counted. More than these are forgotten while they send
 * nothing: most requests find theirs.
 */
const KNOWN_CALLERS = 1000

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
  /** By principal. */
  readonly #held = new Map<string, number>()
  #bytes = 0
  #closed = false

  constructor(clock: Clock, limits: BodyLimits) {
    this.#limits = limits
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
    const { bodyLimit } = this.#limits
    const held = (this.#held.get(principal) ?? 0) + bytes
    if (held === 0 && this.#held.size > KNOWN_CALLERS) this.#held.delete(principal)
    else this.#held.set(principal, held)
    this.#bytes += bytes
    return held <= bodyLimit * MAX_OF_CALLER && this.#bytes <= bodyLimit * MAX_BODIES
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
