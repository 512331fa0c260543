/** The clock and its timers. They are injected so that tests can control the time. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

/** The maximum delay, in ms. Timers with a longer delay overflow and fire immediately. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1

/** The platform's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, Math.min(ms, MAX_TIMEOUT_MS)),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
}
