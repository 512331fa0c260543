import type { Clock } from '../../util/clock.ts'
import { ThrottledLog } from '../../util/throttled-log.ts'

/** Calls a telemetry. An error that it throws is reported at most once in ten minutes, and goes no further. */
export class SafeTelemetry {
  readonly #failures: ThrottledLog
  readonly #report: (error: unknown, skipped: number) => void

  /** @param report - gets an error, and how many were not reported since the last one */
  constructor(clock: Clock, report: (error: unknown, skipped: number) => void) {
    this.#failures = new ThrottledLog(clock)
    this.#report = report
  }

  /** Undefined if the step throws. */
  attempt<T>(step: () => T): T | undefined {
    try {
      return step()
    } catch (error) {
      this.#failures.log((skipped) => this.#report(error, skipped))
      return undefined
    }
  }

  /** Runs a step exactly once, whatever `run` does. */
  within<T>(run: (step: () => void) => void, step: () => T): T {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined
    const once = (): void => {
      if (outcome !== undefined) return
      try {
        outcome = { value: step() }
      } catch (error) {
        outcome = { error }
      }
    }
    this.attempt(() => run(once))
    once()
    return settled(outcome)
  }
}

function settled<T>(outcome: { readonly value: T } | { readonly error: unknown } | undefined): T {
  if (outcome !== undefined && 'value' in outcome) return outcome.value
  throw outcome?.error
}
