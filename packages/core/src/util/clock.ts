/** The time, injected so that tests control it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

/** Timers with a longer delay overflow and fire immediately. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1

/** The clock and the timers of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, Math.min(ms, MAX_TIMEOUT_MS)),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
}
