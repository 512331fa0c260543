import type { Clock } from '../util/clock.ts'
import { Deadlines, type Due } from '../util/timers.ts'
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
    return new LimitedReading({
      deadlines: this.#deadlines,
      slow: () => BodyError.tooSlow(this.#limits.bodyTimeoutMs),
      take: (bytes) => {
        this.#bytes += bytes
        return this.#bytes <= this.#limits.bodyLimit * MAX_BODIES
      },
    })
  }

  /** Clears the timer if no body is being read. */
  releaseTimer(): void {
    this.#deadlines.releaseTimer()
  }
}

interface ReadingOptions {
  readonly deadlines: Deadlines
  readonly slow: () => BodyError
  /** Adds bytes to those of the mount; false if they exceed its limit. */
  readonly take: (bytes: number) => boolean
}

class LimitedReading implements BodyReading, Due {
  readonly #options: ReadingOptions
  #bytes = 0
  #stop: ((error: BodyError) => void) | undefined

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  begin(stop: (error: BodyError) => void): void {
    this.#stop = stop
    this.#options.deadlines.add(this)
  }

  add(bytes: number): BodyError | undefined {
    this.#bytes += bytes
    return this.#options.take(bytes) ? undefined : BodyError.tooMany()
  }

  end(): void {
    this.#stop = undefined
    this.#options.deadlines.remove(this)
    this.#options.take(-this.#bytes)
    this.#bytes = 0
  }

  due(): void {
    const stop = this.#stop
    this.end()
    stop?.(this.#options.slow())
  }
}
