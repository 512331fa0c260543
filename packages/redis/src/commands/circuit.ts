/** The number of consecutive failures after which the circuit opens. */
const MAX_FAILURES = 5
/** How long an open circuit rejects commands, in ms. */
const OPEN_MS = 1_000

/**
 * `closed`: commands are sent. `open`: commands are rejected immediately. `probing`: one command has been
 * sent, and its outcome decides.
 */
export type CircuitState = 'closed' | 'open' | 'probing'

/** Rejects commands immediately while Redis is not replying, so that callers do not have to wait for a timeout. */
export class Circuit {
  #failures = 0
  #openUntil = 0
  #probing = false

  /**
   * Returns whether a command may be sent. After `OPEN_MS`, one command may be sent as a probe, and its
   * outcome closes or reopens the circuit.
   *
   * @param now - a monotonic time in ms, because the system clock may be set back
   */
  admits(now: number): boolean {
    if (this.#failures < MAX_FAILURES) return true
    if (this.#probing || now < this.#openUntil) return false
    this.#probing = true
    return true
  }

  /** Records a success. Returns whether the circuit was open. */
  succeed(): boolean {
    const wasOpen = this.#failures >= MAX_FAILURES
    this.#failures = 0
    this.#probing = false
    return wasOpen
  }

  /**
   * Records a failure. Returns whether this failure has opened the circuit, either for the first time or
   * after a probe.
   */
  fail(now: number): 'opened' | 'reopened' | undefined {
    this.#probing = false
    this.#failures++
    if (this.#failures < MAX_FAILURES || now < this.#openUntil) return undefined
    this.#openUntil = now + OPEN_MS
    return this.#failures === MAX_FAILURES ? 'opened' : 'reopened'
  }

  /** Records a failure after which all further commands would fail. Returns the same as {@link fail}. */
  trip(now: number): 'opened' | 'reopened' | undefined {
    this.#failures = Math.max(this.#failures, MAX_FAILURES - 1)
    return this.fail(now)
  }

  get state(): CircuitState {
    if (this.#failures < MAX_FAILURES) return 'closed'
    return this.#probing ? 'probing' : 'open'
  }
}
