/** Time, injected so that tests own it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
  /**
   * Timers, like all that a request opens, end with it and are out of reach of every other one, so that nothing of the
   * kind may serve several. @default false
   *
   * @see https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request
   */
  readonly perRequest?: boolean
}

/** A longer delay overflows the timers of every runtime and fires at once. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1

/** The clock and the timers of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, Math.min(ms, MAX_TIMEOUT_MS)),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  perRequest: isWorkers(),
}

/** By the name that the runtime gives itself: https://developers.cloudflare.com/workers/runtime-apis/web-standards/ */
function isWorkers(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}
