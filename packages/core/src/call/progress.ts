import { type JsonObject, notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { Notification } from '../protocol/methods.ts'

/**
 * How far a sign of life moves on, as a part of the last value: too little to be seen in a bar, and enough that clients
 * which count in single precision see it grow.
 */
const STEP = 1e-6

export interface ProgressOptions {
  /** Whether the revision knows messages. */
  readonly hasMessage: boolean
  /** Travels with each notification. */
  readonly meta?: JsonObject | undefined
}

/**
 * What one call tells of its progress: what its handler reports, and signs of life in between. All of it is one sequence
 * on the wire, which must grow with every notification, so a sign of life takes a value just above the last one. Should
 * the handler's next value not be beyond that, it is sent as the next number there is, until the handler has caught up.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 */
export class Progress {
  readonly #token: RequestId
  readonly #hasMessage: boolean
  readonly #meta: JsonObject | undefined
  #reported = Number.NEGATIVE_INFINITY
  #sent: number | undefined
  #total: number | undefined

  constructor(token: RequestId, { hasMessage, meta }: ProgressOptions) {
    this.#token = token
    this.#hasMessage = hasMessage
    this.#meta = meta
  }

  /** The notification of what a handler reports; undefined for a value that does not grow or is no finite number. */
  report(progress: number, total: number | undefined, message: string | undefined): string | undefined {
    // JSON would make null of NaN and of the infinities, which no client takes for a number.
    if (!Number.isFinite(progress) || progress <= this.#reported) return undefined
    this.#reported = progress
    this.#total = Number.isFinite(total) ? total : undefined
    const text = this.#hasMessage ? message : undefined
    if (this.#sent === undefined || progress > this.#sent) return this.#frame(progress, this.#total, text)
    return this.#between(Number.EPSILON, text)
  }

  /** The notification that the call still runs. It repeats the handler's total, and no message. */
  keepalive(): string | undefined {
    return this.#between(STEP, undefined)
  }

  /** A total that the handler itself has reached is left out: nothing that is made up here is beyond one. */
  #between(step: number, message: string | undefined): string | undefined {
    const progress = this.#next(step)
    const total = this.#total !== undefined && progress > this.#total ? undefined : this.#total
    return this.#frame(progress, total, message)
  }

  /** Just above what was sent last, and below the total as long as that can be. */
  #next(step: number): number {
    const last = this.#sent
    if (last === undefined) return 0
    const next = last + Math.max(Math.abs(last), 1) * step
    if (this.#total === undefined || last >= this.#total || next < this.#total) return next
    const between = last + (this.#total - last) / 2
    return between > last && between < this.#total ? between : next
  }

  #frame(progress: number, total: number | undefined, message: string | undefined): string | undefined {
    if (!Number.isFinite(progress)) return undefined
    this.#sent = progress
    const params: Record<string, unknown> = { progressToken: this.#token, progress }
    if (total !== undefined) params['total'] = total
    if (typeof message === 'string') params['message'] = message
    if (this.#meta !== undefined) params['_meta'] = this.#meta
    return notificationFrame(Notification.Progress, params)
  }
}
