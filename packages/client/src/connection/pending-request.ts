import type { Clock } from '@jetway/core/stores'
import type { JsonObject, RequestId } from '@jetway/core/protocol'
import { RequestTimeoutError } from '../errors.ts'
import { type Deferred, deferred } from '../util/promises.ts'

/** A `notifications/progress` for a request. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** How a request is sent, and how long the client waits for its response. */
export interface RequestSettings {
  readonly timeoutMs?: number | undefined
  readonly maxTotalMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly longLived?: boolean
  /** Whether the request cannot be cancelled. The protocol forbids cancelling `initialize`. */
  readonly uncancellable?: boolean
  /** Called with the request's id, before the request is sent. */
  readonly onId?: (id: RequestId) => void
  /** The telemetry for the request, if it is enabled. */
  readonly observed?: {
    /** Members to add to the `_meta` of messages that belong to the request. */
    readonly meta: JsonObject | undefined
    within<T>(step: () => T): T
    /** Called when the server has acknowledged the subscription that the request opens. */
    acknowledged(): void
  }
}

/** A request that is waiting for its response. Its timers stop while the server waits for input from the client. */
export class PendingRequest {
  readonly id: RequestId
  readonly method: string
  /** A controller that is aborted when the request fails for any reason. */
  readonly released: AbortController = new AbortController()
  readonly #clock: Clock
  readonly #settings: RequestSettings
  readonly #onAbandoned: (request: PendingRequest, reason: unknown) => void
  readonly #response: Deferred<JsonObject> = deferred()
  #idleTimer: unknown
  #totalTimer: unknown
  #totalEndsAt = 0
  #totalLeftMs: number | undefined
  #pauses = 0
  #progress = Number.NEGATIVE_INFINITY
  #settled = false

  /** @param onAbandoned - called after a timeout or an abort */
  constructor(
    id: RequestId,
    method: string,
    settings: RequestSettings,
    clock: Clock,
    onAbandoned: (request: PendingRequest, reason: unknown) => void,
  ) {
    this.id = id
    this.method = method
    this.#clock = clock
    this.#settings = settings
    this.#onAbandoned = onAbandoned
    this.#totalLeftMs = settings.maxTotalMs
  }

  get response(): Promise<JsonObject> {
    return this.#response.promise
  }

  start(): void {
    this.#settings.signal?.addEventListener('abort', this.#onAbort)
    this.#startTimers()
  }

  resolve(result: JsonObject): void {
    if (this.#settle()) this.#response.resolve(result)
  }

  fail(error: unknown): void {
    if (!this.#settle()) return
    this.#response.reject(error)
    this.released.abort(error)
  }

  /**
   * Restarts `timeoutMs`, and calls the listener. If the progress has decreased, does not call the listener,
   * because a progress bar would move back, and returns false.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress#progress-flow
   */
  progress(report: Progress): boolean {
    if (this.#settled) return true
    const { onProgress, observed } = this.#settings
    if (this.#pauses === 0) this.#startIdleTimer()
    if (report.progress < this.#progress) return false
    this.#progress = report.progress
    if (observed === undefined) onProgress?.(report)
    else observed.within(() => onProgress?.(report))
    return true
  }

  acknowledged(): void {
    this.#settings.observed?.acknowledged()
  }

  /** Stops the timers, because the time that a user takes to answer does not count towards the timeouts. */
  pause(): void {
    if (this.#settled || this.#pauses++ > 0) return
    this.#stopTimers()
    if (this.#totalLeftMs !== undefined) this.#totalLeftMs = this.#totalEndsAt - this.#clock.now()
  }

  resume(): void {
    if (this.#settled || --this.#pauses > 0) return
    this.#startTimers()
  }

  #startTimers(): void {
    this.#startIdleTimer()
    const { maxTotalMs = 0 } = this.#settings
    if (this.#totalLeftMs === undefined) return
    this.#totalEndsAt = this.#clock.now() + this.#totalLeftMs
    this.#totalTimer = this.#clock.setTimeout(
      () => this.#timeOut('maxTotalMs', maxTotalMs),
      Math.max(0, this.#totalLeftMs),
    )
  }

  #startIdleTimer(): void {
    const { timeoutMs } = this.#settings
    this.#clock.clearTimeout(this.#idleTimer)
    this.#idleTimer =
      timeoutMs === undefined
        ? undefined
        : this.#clock.setTimeout(() => this.#timeOut('timeoutMs', timeoutMs), timeoutMs)
  }

  #stopTimers(): void {
    this.#clock.clearTimeout(this.#idleTimer)
    this.#clock.clearTimeout(this.#totalTimer)
    this.#idleTimer = this.#totalTimer = undefined
  }

  #timeOut(option: 'timeoutMs' | 'maxTotalMs', ms: number): void {
    this.#abandon(new RequestTimeoutError(this.method, ms, option))
  }

  readonly #onAbort = (): void => this.#abandon(this.#settings.signal?.reason)

  #abandon(reason: unknown): void {
    if (!this.#settle()) return
    this.#response.reject(reason)
    this.#onAbandoned(this, reason)
    this.released.abort(reason)
  }

  /** Settles the request. Returns false if it has already been settled. */
  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#stopTimers()
    this.#settings.signal?.removeEventListener('abort', this.#onAbort)
    return true
  }
}
