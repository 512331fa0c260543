import type { McpError } from '../../errors.ts'
import { errorFrame, type Incoming, type RequestId } from '../../protocol/jsonrpc.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { EncodedAnswer, EncodedResponse } from '../../call/response.ts'
import type { Exchange } from '../../call/exchange.ts'
import { onDisconnect } from '../on-disconnect.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { Session } from '../../session/session.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { EndpointContext } from '../mount.ts'
import { type EventStream, PlainStream } from '../streams/plain-stream.ts'
import { SSE_HEADERS } from '../streams/sse-format.ts'
import { JSON_HEADERS, refuse, RETRY_HEADERS } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { FrameSink, HttpReply, HttpRequest, Reply } from '../types.ts'

export interface ExchangeOptions {
  readonly context: EndpointContext
  readonly request: HttpRequest
  readonly revision: Revision
  /** Undefined without a session; then no request can be sent to the client. */
  readonly live: LiveSession | undefined
  readonly server: ServedServer
}

/**
 * One POST and its reply. The reply is JSON until something must be streamed. Answers are routed by this object, never
 * by their ids. The revision decides whether a disconnect cancels the call.
 */
export class PostExchange implements Exchange {
  readonly duplex: boolean
  readonly #options: ExchangeOptions
  #stream: EventStream | undefined
  #reply: HttpReply | undefined
  #resolve: ((reply: HttpReply) => void) | undefined
  #frames: string[] | undefined
  #awaited = 1
  #done = false

  get revision(): Revision {
    return this.#options.revision
  }

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.duplex = options.live !== undefined && options.context.options.response !== 'json'
    // Without a session a refusal has an HTTP status, so the stream starts only when there is something to write.
    if (options.context.options.response === 'sse' && options.live !== undefined) this.#startStream()
  }

  /** Sends a notification before the answer, which turns the reply into a stream. */
  send(frame: string): void | Promise<void> {
    if (this.#done || this.#options.context.options.response === 'json') return undefined
    return this.#startStream().send(frame)
  }

  /** Sends a request to the client on the stream of this call. The response comes in another POST. */
  request(frame: string): void {
    if (!this.#done) this.#startStream().respond(frame)
  }

  onDisconnect(listener: () => void): void {
    onDisconnect(this.#options.request, listener)
  }

  /** Ends the connection until the client polls for the rest; see `RequestContext.closeConnection`. */
  closeConnection(retryMs: number | undefined): void {
    const { live, revision } = this.#options
    if (this.#done || !this.duplex || live?.resumable !== true || !revision.primesStreams) return
    this.#startStream().closeConnection(retryMs)
  }

  headers(name: string): readonly string[] {
    const value = this.#options.request.header(name)
    return value === undefined ? [] : [value]
  }

  refused(reason: 'busy' | 'initializedAlready' | 'headerMismatch'): void {
    const { context, request } = this.#options
    context.rejections.add(request, reason)
  }

  /** The call takes long, so the reply becomes a stream, which is kept alive. */
  due(): void {
    if (!this.#done) this.#startStream()
  }

  answer(answered: Awaitable<EncodedResponse>): Reply {
    if (!(answered instanceof Promise)) return this.#finish(answered)
    const reply = this.#wait()
    this.#follow(answered)
    return reply
  }

  /** The reply to a batch: an array, or one event for each answer on the stream. */
  answerAll(all: readonly Awaitable<EncodedResponse>[]): Promise<HttpReply> {
    if (this.#options.context.options.response === 'sse') this.#startStream()
    this.#awaited = all.length
    this.#frames = []
    const reply = this.#wait()
    for (const answered of all) this.#follow(Promise.resolve(answered))
    return reply
  }

  #follow(answered: Promise<EncodedResponse>): void {
    answered.then(
      (answer) => this.#settle(this.#collect(answer)),
      (error: unknown) => this.#settle(this.#crash(error)),
    )
  }

  #wait(): Promise<HttpReply> {
    const { upgrades, work, options } = this.#options.context
    work.begin()
    if (options.response !== 'json' && this.#stream === undefined) upgrades.add(this)
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#reply !== undefined) resolve(this.#reply)
    })
  }

  #settle(reply: HttpReply | undefined): void {
    if (reply === undefined) return
    const { upgrades, work } = this.#options.context
    upgrades.remove(this)
    this.#resolve?.(reply)
    work.end()
  }

  /** Takes an answer. Returns the reply once all answers are there. */
  #collect(answer: EncodedResponse): HttpReply | undefined {
    if (--this.#awaited === 0) return this.#finish(answer)
    if (answer === undefined) return undefined
    if (this.#stream === undefined) this.#frames?.push(answer.frame)
    else this.#stream.respond(answer.frame)
    return undefined
  }

  #finish(answer: EncodedResponse): HttpReply {
    this.#done = true
    const { context, revision } = this.#options
    const frames = this.#frames
    if (context.options.response === 'sse' && answer !== undefined && isSuccess(answer, revision))
      this.#startStream()
    if (this.#stream !== undefined) {
      const final = answer?.frame ?? frames?.pop()
      for (const frame of frames ?? []) this.#stream.respond(frame)
      this.#stream.finish(final)
      return this.#reply ?? EMPTY_STREAM
    }
    if (frames === undefined && answer !== undefined) return jsonAnswer(answer, revision)
    if (answer !== undefined) frames?.push(answer.frame)
    // A cancelled call has no answer: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation
    if (frames === undefined || frames.length === 0) return EMPTY_STREAM
    return { status: 200, headers: JSON_HEADERS, body: `[${frames.join(',')}]` }
  }

  /** Calls never reject; if one does, the client must not wait forever. */
  #crash(error: unknown): HttpReply | undefined {
    this.#options.context.logger.error({ err: error }, 'A call could not be answered')
    if (this.#frames !== undefined) return this.#collect(undefined)
    this.#done = true
    this.#stream?.close()
    return this.#reply ?? refuse('internal')
  }

  #startStream(): EventStream {
    if (this.#stream === undefined) {
      const { context, live, server, request } = this.#options
      this.#stream = live?.openStream() ?? new PlainStream(context, server)
      this.#reply = this.#stream.connect(request)
      this.#resolve?.(this.#reply)
    }
    return this.#stream
  }
}

const isSuccess = ({ error }: EncodedAnswer, revision: Revision): boolean =>
  error === undefined || revision.httpStatus(error) === 200

/** Delivers a message that needs no answer. Without a session it has no effect. */
export function deliver(session: Session | undefined, incoming: Incoming): void {
  if (incoming.kind === 'notification') session?.notification(incoming.message)
  else if (incoming.kind === 'response') session?.response(incoming.message)
}

/** An answer without a stream. */
export function jsonAnswer(answer: EncodedAnswer, revision: Revision): HttpReply {
  const { error } = answer
  if (error === undefined)
    return { status: 200, headers: JSON_HEADERS, body: answer.bytes?.() ?? answer.frame }
  const status = revision.httpStatus(error)
  return { status, headers: status === 503 ? RETRY_HEADERS : JSON_HEADERS, body: answer.frame }
}

/** An error that the revision encodes, as JSON. */
export const errorReply = (id: RequestId, error: McpError, revision: Revision): HttpReply =>
  jsonAnswer({ frame: errorFrame(id, revision.encodeError(error)), error }, revision)

/** An empty stream, which ends at once and cannot be resumed. */
export const EMPTY_STREAM: HttpReply = Object.freeze({
  status: 200,
  headers: SSE_HEADERS,
  open: (sink: FrameSink) => sink.close(),
})
