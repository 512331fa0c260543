import type { Clock } from '@jetway/core/stores'
import type { JsonObject, RequestId } from '@jetway/core/protocol'
import { RequestTimeoutError } from '../errors.ts'

/** One report of progress, as it came. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface PendingCallOptions {
  readonly id: RequestId
  readonly method: string
  readonly clock: Clock
  /** Silence in ms after which the call has failed; undefined for none. */
  readonly timeoutMs: number | undefined
  /** All of it in ms, progress or not; undefined for no limit. */
  readonly maxTotalMs: number | undefined
  readonly onProgress: ((progress: Progress) => void) | undefined
  readonly signal: AbortSignal | undefined
  /** The call is over for a reason of this side; it is settled already. */
  readonly onGivenUp: (call: PendingCall, reason: unknown) => void
}

/** A request without its answer yet. Its clock stands still while a person is being asked. */
export class PendingCall {
  readonly id: RequestId
  readonly method: string
  readonly answer: Promise<JsonObject>
  /** Aborts when nobody waits any more. */
  readonly released: AbortController = new AbortController()
  readonly #options: PendingCallOptions
  #resolve!: (result: JsonObject) => void
  #reject!: (error: unknown) => void
  #timer: unknown
  #limit: unknown
  #limitEnds = 0
  #leftMs: number | undefined
  #pauses = 0
  #settled = false

  constructor(options: PendingCallOptions) {
    this.#options = options
    this.id = options.id
    this.method = options.method
    this.#leftMs = options.maxTotalMs
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  start(): void {
    this.#options.signal?.addEventListener('abort', this.#onAbort)
    this.#run()
  }

  settle(result: JsonObject): void {
    if (this.#finish()) this.#resolve(result)
  }

  fail(error: unknown): void {
    if (!this.#finish()) return
    this.#reject(error)
    this.released.abort(error)
  }

  progress(report: Progress): void {
    if (this.#settled) return
    if (this.#pauses === 0) this.#wait()
    this.#options.onProgress?.(report)
  }

  /** A person is being asked: the time that takes is not the server's. */
  pause(): void {
    if (this.#settled || this.#pauses++ > 0) return
    this.#stop()
    if (this.#leftMs !== undefined) this.#leftMs = this.#limitEnds - this.#options.clock.now()
  }

  resume(): void {
    if (this.#settled || --this.#pauses > 0) return
    this.#run()
  }

  #run(): void {
    const { clock, maxTotalMs = 0 } = this.#options
    this.#wait()
    if (this.#leftMs === undefined) return
    this.#limitEnds = clock.now() + this.#leftMs
    this.#limit = clock.setTimeout(() => this.#timeOut(maxTotalMs), Math.max(0, this.#leftMs))
  }

  #wait(): void {
    const { clock, timeoutMs } = this.#options
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer)
    this.#timer =
      timeoutMs === undefined ? undefined : clock.setTimeout(() => this.#timeOut(timeoutMs), timeoutMs)
  }

  #stop(): void {
    const { clock } = this.#options
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer)
    if (this.#limit !== undefined) clock.clearTimeout(this.#limit)
    this.#timer = this.#limit = undefined
  }

  #timeOut(timeoutMs: number): void {
    this.#giveUp(new RequestTimeoutError(this.method, timeoutMs))
  }

  readonly #onAbort = (): void => this.#giveUp(this.#options.signal?.reason)

  #giveUp(reason: unknown): void {
    if (!this.#finish()) return
    this.#reject(reason)
    this.#options.onGivenUp(this, reason)
    this.released.abort(reason)
  }

  #finish(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#stop()
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    return true
  }
}
