import { ErrorCode, McpError } from '../errors.ts'
import { errorFrame, type RequestId } from '../protocol/jsonrpc.ts'

export interface WaitingResponses {
  /** UTF-16 units of the responses that wait already. */
  readonly waiting: number
  /** UTF-16 units that may wait. One response alone may exceed it. */
  readonly limit: number
  /** Why they wait and what the client can do, for the error. */
  readonly problem: string
}

/** The response, or an error in its place if there is no room: a client gets an answer to every request. */
export function fitResponse(
  id: RequestId,
  frame: string,
  { waiting, limit, problem }: WaitingResponses,
): string {
  if (waiting === 0 || waiting + frame.length <= limit) return frame
  return errorFrame(id, new McpError(ErrorCode.InternalError, problem))
}

export interface BatchResponse {
  readonly id: RequestId
  readonly frame: string
}

/**
 * The responses to one batch, which together have the limit of one result. Otherwise a request of 10 KB, with
 * 100 calls, could draw 100 of the largest results, more than the longest string of the runtime.
 */
export class BatchResponses {
  readonly #limit: number
  readonly #responses: BatchResponse[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** UTF-16 units of all responses. */
  get size(): number {
    return this.#size
  }

  /** Adds a response, which becomes an error if it does not fit. */
  add(id: RequestId, frame: string): void {
    const admitted = fitResponse(id, frame, {
      waiting: this.#size,
      limit: this.#limit,
      problem: `The responses to this batch together exceed ${this.#limit} bytes. Send this request by itself`,
    })
    this.#size += admitted.length
    this.#responses.push({ id, frame: admitted })
  }

  /** Returns the responses and removes them. They still count. */
  take(): BatchResponse[] {
    return this.#responses.splice(0)
  }

  /** The responses as one array; undefined if there are none. */
  join(): string | undefined {
    const frames = this.take().map(({ frame }) => frame)
    return frames.length === 0 ? undefined : `[${frames.join(',')}]`
  }
}
