import { typeName } from '../util/check-options.ts'
import { type JsonObject, notificationFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { Notification } from '../protocol/methods.ts'

/**
 * Returns the problem with the arguments of `ctx.progress`, or undefined if their types are correct. JavaScript
 * code may pass strings such as `'50%'`, or the message in place of the total.
 */
export function progressFault(progress: unknown, total: unknown, message: unknown): string | undefined {
  const numbers = Number.isFinite(progress) && (total === undefined || typeof total === 'number')
  if (numbers && (message === undefined || typeof message === 'string')) return undefined
  const given = [progress, total, message]
    .map(shown)
    .join(', ')
    .replace(/(?:, undefined)+$/, '')
  return `ctx.progress takes a number, a total and a text, such as ctx.progress(50, 100, 'Half done'), not ctx.progress(${given})`
}

const shown = (value: unknown): string =>
  typeof value === 'string'
    ? `'${value.slice(0, 40)}'`
    : typeof value === 'number'
      ? `${value}`
      : typeName(value)

/**
 * The amount by which a keepalive exceeds the last value: invisible in a progress bar, but large enough for
 * clients with single-precision numbers.
 */
const STEP = 1e-6

interface ProgressOptions {
  /** Whether progress notifications have a message in this revision. */
  readonly hasMessage: boolean
  /** The `_meta` of each notification. */
  readonly meta?: JsonObject | undefined
}

/**
 * The progress of one call: the values reported by its handler, with keepalives in between. Values must
 * increase with every notification, so a keepalive is just above the last value. If the handler's next value is
 * not above the keepalive, the next larger number is sent instead.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 */
export class Progress {
  readonly #token: RequestId
  readonly #options: ProgressOptions
  /** The last value that the handler reported. */
  reported: number = Number.NEGATIVE_INFINITY
  #sent: number | undefined
  #total: number | undefined

  constructor(token: RequestId, options: ProgressOptions) {
    this.#token = token
    this.#options = options
  }

  /**
   * Returns the notification for a value that the handler reported, or undefined if the value does not increase
   * or is not finite.
   */
  report(progress: number, total: number | undefined, message: string | undefined): string | undefined {
    // In JSON, NaN and infinities would become null.
    if (!Number.isFinite(progress) || progress <= this.reported) return undefined
    this.reported = progress
    this.#total = Number.isFinite(total) ? total : undefined
    const text = this.#options.hasMessage ? message : undefined
    if (this.#sent === undefined || progress > this.#sent) return this.#frame(progress, this.#total, text)
    return this.#between(Number.EPSILON, text)
  }

  /** Creates a notification whose only purpose is to show that the call is still running. */
  keepalive(): string | undefined {
    return this.#between(STEP, undefined)
  }

  /** Omits the total once the handler has reached it, because the value must not exceed the total. */
  #between(step: number, message: string | undefined): string | undefined {
    const progress = this.#next(step)
    const total = this.#total !== undefined && progress > this.#total ? undefined : this.#total
    return this.#frame(progress, total, message)
  }

  /** Returns a number just above the last value, and below the total if possible. */
  #next(step: number): number {
    const last = this.#sent
    if (last === undefined) return 0
    const next = last + Math.max(Math.abs(last), 1) * step
    const total = this.#total ?? Infinity
    if (next < total) return next
    const between = last + (total - last) / 2
    return between > last && between < total ? between : next
  }

  #frame(progress: number, total: number | undefined, message: string | undefined): string | undefined {
    if (!Number.isFinite(progress)) return undefined
    this.#sent = progress
    const params: Record<string, unknown> = { progressToken: this.#token, progress }
    if (total !== undefined) params['total'] = total
    if (typeof message === 'string') params['message'] = message
    if (this.#options.meta !== undefined) params['_meta'] = this.#options.meta
    return notificationFrame(Notification.Progress, params)
  }
}
