import type { Clock } from '../util/clock.ts'
import { type Deadline, Deadlines, type Due } from '../util/timers.ts'
import { BodyError, type BodyReading } from './types.ts'

/** Whole bodies that a mount may hold while it reads them. */
const MAX_BODIES = 32

export interface BodyLimits {
  /** How long a body may take, in ms. */
  readonly bodyTimeoutMs: number
  /** Bytes of one body. */
  readonly bodyLimit: number
}

/** Limits what all bodies of a mount together may take while they are read, in time and bytes. */
export class BodyBudget {
  readonly #limits: BodyLimits
  readonly #deadlines: Deadlines
  #bytes = 0

  constructor(clock: Clock, limits: BodyLimits) {
    this.#limits = limits
    this.#deadlines = new Deadlines(clock, limits.bodyTimeoutMs)
  }

  /** For one body. Costs nothing before its `begin`. */
  reading(): BodyReading {
    return new LimitedReading(this)
  }

  start(reading: LimitedReading): void {
    this.#deadlines.add(reading)
  }

  /** Adds bytes that a body has brought; false if all bodies together exceed their limit. */
  take(bytes: number): boolean {
    this.#bytes += bytes
    return this.#bytes <= this.#limits.bodyLimit * MAX_BODIES
  }

  stop(reading: LimitedReading, bytes: number): void {
    this.#deadlines.remove(reading)
    this.#bytes -= bytes
  }

  tooSlow(): BodyError {
    return BodyError.tooSlow(this.#limits.bodyTimeoutMs)
  }

  /** Clears the timer if no body is being read. */
  releaseTimer(): void {
    this.#deadlines.releaseTimer()
  }
}

class LimitedReading implements BodyReading, Due {
  deadline: Deadline | undefined
  readonly #budget: BodyBudget
  #bytes = 0
  #stop: ((error: BodyError) => void) | undefined

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  begin(stop: (error: BodyError) => void): void {
    this.#stop = stop
    this.#budget.start(this)
  }

  add(bytes: number): BodyError | undefined {
    this.#bytes += bytes
    return this.#budget.take(bytes) ? undefined : BodyError.tooMany()
  }

  end(): void {
    this.#stop = undefined
    this.#budget.stop(this, this.#bytes)
    this.#bytes = 0
  }

  due(): void {
    const stop = this.#stop
    this.end()
    stop?.(this.#budget.tooSlow())
  }
}
