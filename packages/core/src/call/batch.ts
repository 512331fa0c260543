import { busy, ErrorCode, McpError } from '../errors.ts'
import {
  classify,
  errorFrame,
  type Incoming,
  type JsonRpcRequest,
  type RequestId,
} from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import { attempt, type Awaitable, chain } from '../util/promises.ts'
import type { EncodedResponse } from './response.ts'

const MAX_BATCH = 100

/** A message of a batch. */
export type BatchItem = Exclude<Incoming, { readonly kind: 'invalid' }>

/**
 * Reads an array of messages: requests and notifications, or responses, and never `initialize`. One bad message
 * makes the whole batch bad: a response to each message would multiply the bytes of the client.
 *
 * @returns the messages in order, or the problem
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#sending-messages-to-the-server
 */
export function readBatch(values: readonly unknown[]): readonly BatchItem[] | string {
  if (values.length === 0 || values.length > MAX_BATCH) return `A batch has 1 to ${MAX_BATCH} messages`
  const items: BatchItem[] = []
  for (const value of values) {
    const incoming = classify(value)
    if (incoming.kind === 'invalid') return 'A message of the batch is malformed'
    items.push(incoming)
  }
  const responses = items.filter(({ kind }) => kind === 'response').length
  if (responses > 0 && responses < items.length) return 'Responses do not share a batch with other messages'
  const opens = items.some((item) => item.kind === 'request' && item.message.method === Method.Initialize)
  return opens ? 'initialize must not be part of a batch' : items
}

/** The ids of the requests of a batch, which are the responses that it gets. */
export const requestIds = (items: readonly BatchItem[]): readonly RequestId[] =>
  items.flatMap((item) => (item.kind === 'request' ? [item.message.id] : []))

/** What a transport does with the messages of a batch. */
interface BatchSteps {
  readonly deliver: (item: Exclude<BatchItem, { readonly kind: 'request' }>) => void
  readonly call: (message: JsonRpcRequest) => Awaitable<EncodedResponse>
  /** Takes the response to one request; undefined if it was cancelled. */
  readonly collect: (id: RequestId, response: EncodedResponse) => void
  /** A call threw, which calls never do. Its client still gets a response. */
  readonly failed: (error: unknown) => void
}

/** Runs the messages of a batch in order. Calls run at the same time, and each is collected once. */
export function runBatch(items: readonly BatchItem[], { deliver, call, collect, failed }: BatchSteps): void {
  for (const item of items) {
    if (item.kind !== 'request') {
      deliver(item)
      continue
    }
    const { message } = item
    const response = attempt(
      () => call(message),
      (error) => {
        failed(error)
        return { frame: errorFrame(message.id, busy()) }
      },
    )
    void chain(response, (settled) => collect(message.id, settled))
  }
}

/** Responses that wait, and the room that they have. */
interface WaitingResponses {
  /** UTF-16 units of the responses that wait already. */
  readonly waiting: number
  /** UTF-16 units that may wait. One response alone may exceed it. */
  readonly limit: number
  /** Why they wait and what the client can do, for the error. */
  readonly problem: string
}

/** The response, or an error in its place if there is no room: a client gets a response to every request. */
export function fitResponse(
  id: RequestId,
  frame: string,
  { waiting, limit, problem }: WaitingResponses,
): string {
  if (waiting === 0 || waiting + frame.length <= limit) return frame
  return errorFrame(id, new McpError(ErrorCode.InternalError, problem))
}

/**
 * The responses to one batch, which together have the limit of one result. Otherwise a request of 10 KB, with
 * 100 calls, could get 100 of the largest results, more than the longest string of the runtime.
 */
export class BatchResponses {
  readonly #limit: number
  readonly #responses: { readonly id: RequestId; readonly frame: string }[] = []
  #missing: number
  /** UTF-16 units of all responses. */
  size = 0

  /**
   * @param expected - how many responses the batch gets
   * @param limit - UTF-16 units of all of them
   */
  constructor(expected: number, limit: number) {
    this.#missing = expected
    this.#limit = limit
  }

  /** Whether no response is missing. */
  get complete(): boolean {
    return this.#missing === 0
  }

  /**
   * Adds a response, which becomes an error if it does not fit.
   *
   * @param frame - undefined for a cancelled call, which has no response
   */
  add(id: RequestId, frame: string | undefined): void {
    this.#missing--
    if (frame === undefined) return
    const admitted = fitResponse(id, frame, {
      waiting: this.size,
      limit: this.#limit,
      problem: `The responses to this batch together exceed ${this.#limit} bytes. Send this request by itself`,
    })
    this.size += admitted.length
    this.#responses.push({ id, frame: admitted })
  }

  /** Returns the responses and removes them. They still count. */
  take(): { readonly id: RequestId; readonly frame: string }[] {
    return this.#responses.splice(0)
  }

  /** The responses as one array; undefined if there are none. */
  join(): string | undefined {
    const frames = this.take().map(({ frame }) => frame)
    return frames.length === 0 ? undefined : `[${frames.join(',')}]`
  }
}
