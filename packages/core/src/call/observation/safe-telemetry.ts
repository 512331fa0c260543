import type { Clock } from '../../util/clock.ts'
import { RareLog } from '../../util/rare-log.ts'

/** Calls a telemetry. An error that it throws is reported at most once in ten minutes, and not rethrown. */
export class SafeTelemetry {
  readonly #failures: RareLog
  readonly #report: (error: unknown, skipped: number) => void

  /** @param report - receives an error, and the number of unreported errors since the last report */
  constructor(clock: Clock, report: (error: unknown, skipped: number) => void) {
    this.#failures = new RareLog(clock)
    this.#report = report
  }

  /** Returns undefined if the step throws. */
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
