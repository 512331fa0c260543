import { ErrorCode, McpError } from '../../errors.ts'
import { errorFrame, type RequestId } from '../../protocol/jsonrpc.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { EncodedAnswer, EncodedResponse } from '../../call/response.ts'
import { BatchResponses } from '../../call/batch.ts'
import type { Caller } from '../../call/scope.ts'
import { type Exchange, HTTP_NETWORK, type Network } from '../../call/exchange.ts'
import { refuseScopes } from '../guard/authenticate.ts'
import {
  LARGE_REPLY,
  onDisconnect,
  type FrameSink,
  type HttpReply,
  type HttpRequest,
  type Reply,
} from '../types.ts'
import { headerValues } from '../request-origin.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { Deadline, Due } from '../../util/timers.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { EndpointContext } from '../context.ts'
import { type EventStream, PlainStream } from '../streams/plain-stream.ts'
import { SSE_HEADERS } from '../streams/sse-format.ts'
import { emitOverflow } from '../streams/sse-writer.ts'
import { wholeStream } from '../streams/whole-stream.ts'
import { JSON_HEADERS, refuse, RETRY_HEADERS } from '../refusals.ts'
import type { ServedServer } from '../servers/served-server.ts'

/** The maximum number of microtasks in which a handler, including middleware, returns if it has no slow steps. */
const TURNS = 32

interface ExchangeOptions {
  readonly context: EndpointContext
  readonly request: HttpRequest
  readonly caller: Caller
  readonly revision: Revision
  /** Undefined if there is no session. In that case, requests cannot be sent to the client. */
  readonly live: LiveSession | undefined
  readonly server: ServedServer
  /** The id of the JSON-RPC request; undefined for a batch. */
  readonly id?: RequestId
}

/**
 * One POST request and its reply. The reply is JSON until something must be streamed. Responses are routed by
 * this object, never by their ids. The revision determines whether a disconnect cancels the call.
 */
export class PostExchange implements Exchange, Due {
  deadline: Deadline | undefined
  readonly network: Network = HTTP_NETWORK
  readonly #options: ExchangeOptions
  #stream: EventStream | undefined
  #reply: HttpReply | undefined
  #resolve: ((reply: Reply) => void) | undefined
  batch: BatchResponses | undefined
  #batchIds: readonly RequestId[] | undefined
  #done = false

  get revision(): Revision {
    return this.#options.revision
  }
  /**
   * A question on a queued response would not reach the client, and would keep the session active while it is
   * pending.
   */
  get duplex(): boolean {
    const { context, live, request } = this.#options
    return live !== undefined && context.options.response !== 'json' && request.isQueued !== true
  }

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  /** Sends a notification before the response, which changes the reply to a stream. */
  send(frame: string): void | Promise<void> {
    if (this.#done || this.#options.context.options.response === 'json') return undefined
    return this.#startStream().send(frame)
  }

  /** Sends a request to the client on this call's stream. The response arrives in another POST request. */
  request(frame: string): void {
    if (!this.#done) this.#startStream().respond(frame)
  }

  onDisconnect(listener: () => void): void {
    onDisconnect(this.#options.request, listener)
  }

  /** Closes the connection until the client polls for the rest; see `RequestContext.closeConnection`. */
  closeConnection(retryMs: number | undefined): void {
    const { live, revision } = this.#options
    if (this.#done || !this.duplex || live?.resumable !== true || !revision.primesStreams) return
    this.#startStream().closeConnection(retryMs)
  }

  headers(name: string): readonly string[] {
    return headerValues(this.#options.request, name)
  }

  refused(reason: 'busy' | 'headerMismatch'): void {
    const { context, request } = this.#options
    context.rejections.add(request, reason)
  }

  /** Changes the reply of a long call to a stream, which is kept alive. */
  due(): void {
    if (!this.#done) this.#startStream()
  }

  answer(answered: Awaitable<EncodedResponse>): Reply {
    if (!(answered instanceof Promise)) return this.#finish(answered)
    const reply = this.#wait()
    answered.then(
      (answer) => this.#settle(() => this.#finish(answer)),
      (error: unknown) => this.#settle(() => this.#crashed(error)),
    )
    return reply
  }

  /**
   * Returns the reply to a batch: an array, or a stream with one event for each response. {@link collect}
   * receives the responses.
   */
  answerBatch(ids: readonly RequestId[]): Promise<HttpReply> {
    const { context, server } = this.#options
    this.#batchIds = ids
    if (context.options.response === 'sse') this.#startStream()
    this.batch = new BatchResponses(ids.length, server.runtime.maxResultBytes)
    return this.#wait()
  }

  /** Receives the response to one request in a batch. */
  collect(id: RequestId, response: EncodedResponse): void {
    this.#settle(() => {
      const batch = this.batch
      batch?.add(id, this.#fit(response, id, batch.size)?.frame)
      if (batch?.complete === true) return this.#finishBatch()
      if (this.#stream !== undefined)
        for (const { id: answers, frame } of batch?.take() ?? []) this.#stream.respond(frame, answers)
      return undefined
    })
  }

  /** Logs a call's error. */
  failed(error: unknown): void {
    this.#options.context.logger.error({ err: error }, 'A call could not be answered')
  }

  #wait(): Promise<HttpReply> {
    const { upgrades, work, options } = this.#options.context
    work.begin()
    // Without a session, a refusal has an HTTP status, so the stream starts only when there is something to
    // write.
    if (options.response === 'sse' && this.#options.live !== undefined) this.#startSoon()
    else if (options.response !== 'json' && this.#stream === undefined) upgrades.add(this)
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#reply !== undefined) resolve(this.#reply)
    })
  }

  #settle(step: () => Reply | undefined): void {
    let reply: Reply | undefined
    try {
      reply = step()
    } catch (error) {
      reply = this.#crashed(error)
    }
    if (reply === undefined) return
    const { upgrades, work } = this.#options.context
    upgrades.remove(this)
    this.#resolve?.(reply)
    work.end()
  }

  #finishBatch(): HttpReply {
    this.#done = true
    const batch = this.batch
    if (this.#stream === undefined) {
      const body = batch?.join()
      return body === undefined ? EMPTY_STREAM : { status: 200, headers: JSON_HEADERS, body }
    }
    const responses = batch?.take() ?? []
    const final = responses.pop()
    for (const { id, frame } of responses) this.#stream.respond(frame, id)
    this.#stream.finish(final?.frame)
    return this.#reply ?? EMPTY_STREAM
  }

  /**
   * Returns the response, or an error if the response is large while too many replies to its caller are
   * queued. Otherwise, calls that are still running when a client stops reading could add results without
   * limit.
   *
   * @param before - the number of UTF-16 code units in other responses of the same reply
   */
  #fit(answer: EncodedResponse, id: RequestId | undefined, before = 0): EncodedResponse {
    const { context, caller, live, revision, server } = this.#options
    if (answer === undefined || !context.queued.exceeded(caller.holder)) return answer
    // If there are bytes, `frame` is not read, because reading it would create the text of a large response.
    const size = answer.bytes === undefined ? answer.frame.length : LARGE_REPLY
    if (before + size < LARGE_REPLY) return answer
    emitOverflow(server, { action: 'drop', bytes: size, sessionId: live?.session.id })
    const error = unreadResult()
    return { frame: errorFrame(id, revision.encodeError(error)), error }
  }

  #finish(answered: EncodedResponse): Reply {
    this.#done = true
    const { context, live, revision, id } = this.#options
    const answer = this.#fit(answered, id)
    if (this.#stream !== undefined) {
      this.#stream.finish(answer?.frame)
      return this.#reply ?? EMPTY_STREAM
    }
    if (answer?.error?.reason === 'insufficient-scope')
      return refuseScopes(context.authenticate, this.#options.request, answer.error, id)
    if (context.options.response === 'sse' && answer !== undefined) {
      if (live !== undefined) return live.answer(answer)
      if (isSuccess(answer, revision)) return wholeStream(answer)
    }
    // A cancelled call has no response. See
    // https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation.
    return answer === undefined ? EMPTY_STREAM : jsonAnswer(answer, revision)
  }

  /** Sends a reply if a call rejects, so that the client does not wait forever. Calls should never reject. */
  #crashed(error: unknown): HttpReply {
    this.failed(error)
    this.#done = true
    this.#stream?.close()
    return this.#reply ?? refuse('internal')
  }

  /**
   * Starts the stream unless the response is ready within a few microtasks. Most async handlers return that
   * quickly, because they do not wait for anything slow.
   */
  #startSoon(turns: number = TURNS): void {
    if (this.#done || this.#stream !== undefined) return
    if (turns === 0) this.#startStream()
    else queueMicrotask(() => this.#startSoon(turns - 1))
  }

  get #pending(): readonly RequestId[] {
    const { id } = this.#options
    return this.#batchIds ?? (id === undefined ? [] : [id])
  }

  #startStream(): EventStream {
    if (this.#stream === undefined) {
      const { context, caller, live, server, request } = this.#options
      this.#stream = live?.openCallStream(this.#pending) ?? new PlainStream(context, { server })
      this.#reply = this.#stream.connect({ signal: request.signal, holder: caller.holder })
      this.#resolve?.(this.#reply)
    }
    return this.#stream
  }
}

/** Creates an error without a status that would make the client retry, because the call has already taken effect. */
const unreadResult = (): McpError =>
  new McpError(
    ErrorCode.InternalError,
    'The call has ended, but its result is lost: too many replies wait for their clients to read them',
  )

const isSuccess = ({ error }: EncodedAnswer, revision: Revision): boolean =>
  error === undefined || revision.httpStatus(error) === 200

/** Returns a reply that contains a response but no stream. */
export function jsonAnswer(answer: EncodedAnswer, revision: Revision): HttpReply {
  const { error } = answer
  if (error === undefined)
    return { status: 200, headers: JSON_HEADERS, body: answer.bytes?.() ?? answer.frame }
  const status = revision.httpStatus(error)
  return { status, headers: status === 503 ? RETRY_HEADERS : JSON_HEADERS, body: answer.frame }
}

/** Returns an error that the revision encodes as a JSON reply. */
export const errorReply = (id: RequestId, error: McpError, revision: Revision): HttpReply =>
  jsonAnswer({ frame: errorFrame(id, revision.encodeError(error)), error }, revision)

/** An empty stream, which ends immediately and cannot be resumed. */
export const EMPTY_STREAM: HttpReply = Object.freeze({
  status: 200,
  headers: SSE_HEADERS,
  open: (sink: FrameSink) => sink.close(),
})
