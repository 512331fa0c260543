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
/** A response is large if it has at least this length, in UTF-16 code units. */
const LARGE = 262_144

/** A message in a batch. */
export type BatchItem = Exclude<Incoming, { readonly kind: 'invalid' }>

/**
 * Reads an array of messages: either requests and notifications, or responses. It must not contain
 * `initialize`. One invalid message makes the whole batch invalid, because an error for each message could be
 * larger than the request.
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

/** Returns the ids of the requests in a batch. Their responses have the same ids. */
export const requestIds = (items: readonly BatchItem[]): readonly RequestId[] =>
  items.flatMap((item) => (item.kind === 'request' ? [item.message.id] : []))

/** How a transport processes the messages in a batch. */
interface BatchSteps {
  readonly deliver: (item: Exclude<BatchItem, { readonly kind: 'request' }>) => void
  readonly call: (message: JsonRpcRequest) => Awaitable<EncodedResponse>
  /** Receives the response to one request; undefined if it was cancelled. */
  readonly collect: (id: RequestId, response: EncodedResponse) => void
  /** Reports a call that threw, which should never happen. The client still receives a response. */
  readonly failed: (error: unknown) => void
}

/**
 * Runs the messages in a batch in order. Calls run concurrently, and each response is collected exactly once.
 * After each large result, other clients have a turn, because encoding all results together takes a long time.
 */
export function runBatch(items: readonly BatchItem[], steps: BatchSteps): void {
  const { deliver, call, collect, failed } = steps
  for (const [at, item] of items.entries()) {
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
    if (!(response instanceof Promise) && (response?.frame.length ?? 0) >= LARGE && at + 1 < items.length)
      return void setTimeout(() => runBatch(items.slice(at + 1), steps), 0)
  }
}

/**
 * Returns the error response to a call whose result was omitted, because every request must receive a response.
 */
export const leftOut = (id: RequestId, problem: string): string =>
  errorFrame(id, new McpError(ErrorCode.InternalError, problem))

/**
 * Collects the responses to one batch. Together they may be as large as one result. Without this limit, a 10 KB
 * request with 100 calls could receive 100 results of the maximum size, which would not fit into a string.
 */
export class BatchResponses {
  readonly #limit: number
  readonly #responses: { readonly id: RequestId; readonly frame: string }[] = []
  #missing: number
  /** The size of all responses, in UTF-16 code units. */
  size = 0
  /** The remaining space for encoded results, in UTF-16 code units. The last result may exceed it. */
  room: number

  /**
   * @param expected - the number of responses to the batch
   * @param limit - the maximum size of all responses combined, in UTF-16 code units
   */
  constructor(expected: number, limit: number) {
    this.#missing = expected
    this.#limit = limit
    this.room = limit
  }

  /** Why a response is omitted, and how clients can avoid this. */
  get problem(): string {
    return `The responses to this batch together exceed ${this.#limit} bytes. Send this request by itself`
  }

  /** Whether all responses have been added. */
  get complete(): boolean {
    return this.#missing === 0
  }

  /**
   * Adds a response. If it exceeds the limit, an error replaces it.
   *
   * @param frame - undefined for a cancelled call, which has no response
   */
  add(id: RequestId, frame: string | undefined): void {
    this.#missing--
    if (frame === undefined) return
    const fits = this.size === 0 || this.size + frame.length <= this.#limit
    const admitted = fits ? frame : leftOut(id, this.problem)
    this.size += admitted.length
    this.#responses.push({ id, frame: admitted })
  }

  /** Removes and returns the responses. They still count towards the limit. */
  take(): { readonly id: RequestId; readonly frame: string }[] {
    return this.#responses.splice(0)
  }

  /** Returns the responses as one array, or undefined if there are none. */
  join(): string | undefined {
    const frames = this.take().map(({ frame }) => frame)
    return frames.length === 0 ? undefined : `[${frames.join(',')}]`
  }
}
