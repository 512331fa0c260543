import type { EncodedResponse } from '../../call/response.ts'
import { leftOut } from '../../call/batch.ts'
import type { RequestId } from '../../protocol/jsonrpc.ts'
import { utf8Length } from '../../util/bytes.ts'
import type { ServedServer } from '../servers/served-server.ts'
import { emitOverflow } from '../streams/sse-writer.ts'

/** The maximum number of full-size results that may be queued for one client. */
const RESULTS = 4

interface SseResponsesOptions {
  /** The writer of the event stream. */
  readonly outlet: { readonly waitingBytes: number }
  readonly server: ServedServer
  readonly sessionId: string
  /** The number of queued bytes above which requests are refused. */
  readonly outboundLimit: number
}

/**
 * Limits the responses queued for one HTTP+SSE connection. The transport lacks backpressure: small POSTs cause large
 * responses, on a stream that the client need not read.
 */
export class SseResponses {
  readonly #options: SseResponsesOptions
  readonly #limit: number
  /**
   * The number of UTF-16 code units in responses that are not yet in the queue, because their batch is
   * incomplete, or because the client must catch up first.
   */
  #held = 0
  #largest = 0

  constructor(options: SseResponsesOptions) {
    this.#options = options
    this.#limit = RESULTS * options.server.runtime.maxResultBytes
  }

  /** Whether another response would be replaced by an error. */
  get full(): boolean {
    return this.#waiting > this.#limit
  }

  /**
   * Whether another request must be refused. While the client has not caught up, each call in flight is
   * counted as if its response were as large as the largest so far.
   */
  refuses(inFlight: number): boolean {
    const waiting = this.#waiting
    const expected = waiting === 0 ? 0 : waiting + inFlight * this.#largest
    return waiting > this.#options.outboundLimit || expected > this.#limit
  }

  /**
   * Returns the frame for a response, or for an error if the response exceeds the limit. Returns undefined if
   * the call was cancelled.
   */
  fit(id: RequestId, response: EncodedResponse): string | undefined {
    if (response === undefined) return undefined
    const { frame } = response
    const { server, sessionId } = this.#options
    this.#largest = Math.max(this.#largest, frame.length)
    if (this.#waiting === 0 || this.#waiting + frame.length <= this.#limit) return frame
    emitOverflow(server, { action: 'drop', bytes: utf8Length(frame), sessionId })
    const problem = `More than ${this.#limit} bytes of responses wait. Read the stream, then send this request again`
    return leftOut(id, problem)
  }

  /**
   * Changes the number of UTF-16 code units that wait outside the queue. A negative number of `units` is
   * subtracted.
   */
  hold(units: number): void {
    this.#held += units
  }

  get #waiting(): number {
    return this.#options.outlet.waitingBytes + this.#held
  }
}
