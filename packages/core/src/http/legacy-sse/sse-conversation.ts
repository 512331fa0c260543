import type { Caller } from '../../call/scope.ts'
import { type Exchange, HTTP_NETWORK } from '../../call/exchange.ts'
import { separating } from '../../call/separate-response.ts'
import type { EncodedResponse } from '../../call/response.ts'
import { BatchResponses } from '../../call/response-limit.ts'
import { refusal } from '../../duplex/message-router.ts'
import { busy } from '../../errors.ts'
import { readBatch } from '../../protocol/batch.ts'
import {
  classify,
  errorFrame,
  type Incoming,
  type JsonRpcRequest,
  type RequestId,
} from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import { selectRevision } from '../../protocol/revisions/select.ts'
import { lackingForAll } from '../../session/batch-scopes.ts'
import type { InitializeInput } from '../../session/initialize.ts'
import type { Session } from '../../session/session.ts'
import type { Outstanding } from '../../util/outstanding.ts'
import { type Awaitable, chain } from '../../util/promises.ts'
import { refuseScopes } from '../guard/authenticate.ts'
import type { EndpointContext } from '../mount.ts'
import { refuse, TAKEN } from '../refusals.ts'
import { originOf } from '../request-origin.ts'
import type { ServedServer } from '../served-server.ts'
import { deliver } from '../streamable/post-exchange.ts'
import { messageEvent } from '../streams/sse-format.ts'
import type { SseWriter } from '../streams/sse-writer.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'
import { SseResponses } from './responses.ts'

export interface Posted {
  readonly request: HttpRequest
  readonly caller: Caller
}

/** An `initialize` request. The connection knows whose it is. */
export type SseInitialize = Omit<InitializeInput, 'principal' | 'id'>

/** The response to `initialize`, and the session if it was accepted; or the reply that refuses the POST. */
export type SseOpening = { readonly frame: string; readonly session: Session | undefined } | HttpReply

interface SseConversationOptions {
  readonly context: EndpointContext
  readonly server: ServedServer
  readonly id: string
  readonly writer: SseWriter
  /** Counts the calls that are not answered yet. */
  readonly unanswered: Outstanding
  readonly open: (request: SseInitialize) => Promise<SseOpening>
  /** A response cannot be sent. */
  readonly onFailure: () => void
}

/** Answers the messages that a client of HTTP+SSE posts, on its event stream. */
export class SseConversation {
  /** Undefined before `initialize` is answered. */
  session: Session | undefined
  readonly #options: SseConversationOptions
  readonly #responses: SseResponses
  readonly #exchange: Exchange
  /** While `initialize` is being answered. */
  #opening = false

  constructor(options: SseConversationOptions) {
    const { context, server, id, writer } = options
    this.#options = options
    const { outboundLimit } = context.options
    this.#responses = new SseResponses({ outlet: writer, server, sessionId: id, outboundLimit })
    this.#exchange = separating(
      {
        duplex: true,
        network: HTTP_NETWORK,
        send: (frame) => {
          writer.write(messageEvent(frame))
          return writer.pressure()
        },
        request: (frame) => this.#respond(frame),
      },
      server.runtime.clock,
      (frame) => this.#afterRead(frame),
    )
  }

  /** Takes a message that the client has posted. Responses follow on the stream. */
  receive(value: unknown, posted: Posted): Reply {
    if (Array.isArray(value)) return this.#batch(value, posted)
    const incoming = classify(value)
    if (incoming.kind === 'invalid')
      return refuse('invalidMessage', { id: incoming.id, message: incoming.reason })
    if (incoming.kind === 'request') return this.#serve(incoming.message, posted)
    this.#deliver(incoming, posted)
    return TAKEN
  }

  #serve(message: JsonRpcRequest, posted: Posted): Reply {
    const refused = this.#refuseRequests(message.id)
    if (refused !== undefined) return refused
    const { context, server } = this.#options
    const { session } = this
    const { legacy: served } = server
    const selection = selectRevision({ message, session: session?.revision, served, stateless: false })
    if (selection.kind === 'initialize') return this.#initialize(message, posted)
    if (selection.kind === 'serve' && session !== undefined) return this.#call(session, message, posted)
    if (selection.kind === 'refuse') {
      if (message.method !== Method.Ping) context.rejections.add(posted.request, selection.reason)
      this.#respond(refusal(message, selection))
    }
    return TAKEN
  }

  /** The reply to requests that cannot run now; responses and cancellations are still accepted. */
  #refuseRequests(id?: RequestId): HttpReply | undefined {
    const { context, server } = this.#options
    if (context.work.closing || server.closing) return refuse('draining', { id })
    // Responses are never dropped. A client that sends more requests than it reads responses must wait.
    const crowded = this.#responses.refuses(this.session?.inFlight ?? 0)
    return crowded || this.#opening ? refuse('busy', { id }) : undefined
  }

  /** Replies once the session is open, so that a client can post its next message at once. */
  async #initialize(message: JsonRpcRequest, { request }: Posted): Promise<HttpReply> {
    const { context, server, open } = this.#options
    this.#opening = true
    try {
      const input = { served: server.legacy, message, origin: originOf(request) }
      const opened = await context.servers.during(server, () => open(input))
      if ('status' in opened) return opened
      if (opened.session === undefined) context.rejections.add(request, 'initializeRefused')
      this.#respond(opened.frame)
      return TAKEN
    } finally {
      this.#opening = false
    }
  }

  #call(session: Session, message: JsonRpcRequest, posted: Posted): HttpReply {
    const refused = this.#refuseScopes(session, [{ kind: 'request', message }], posted, message.id)
    if (refused !== undefined) return refused
    const answered = this.#dispatch(session, message, posted)
    // A busy server refuses on the POST, which the client sees before its own timeout.
    if (isBusy(answered, session)) return refuse('busy', { id: message.id })
    const send = (response: EncodedResponse): void => this.#respond(this.#responses.fit(message.id, response))
    return this.#answer(answered, send, posted)
  }

  #batch(values: readonly unknown[], posted: Posted): HttpReply {
    const { session } = this
    if (session === undefined || !session.revision.batching) return refuse('batch')
    const batch = readBatch(values)
    if ('fault' in batch) return refuse('batch', { message: batch.fault })
    const asks = batch.items.some(({ kind }) => kind === 'request')
    const refused = asks ? this.#refuseRequests() : undefined
    if (refused !== undefined) return refused
    const short = this.#refuseScopes(session, batch.items, posted)
    if (short !== undefined) return short
    const responses = new BatchResponses(this.#options.server.runtime.maxResultBytes)
    const answered: Awaitable<void>[] = []
    for (const item of batch.items) {
      if (item.kind !== 'request') {
        this.#deliver(item, posted)
        continue
      }
      const { id } = item.message
      const collect = (response: EncodedResponse): void => this.#collect(responses, id, response)
      answered.push(chain(this.#dispatch(session, item.message, posted), collect))
    }
    if (!asks) return TAKEN
    const send = (): void => {
      this.#responses.hold(-responses.size)
      this.#respond(responses.join())
    }
    return this.#answer(Promise.all(answered.map(async (one) => one)), send, posted)
  }

  /** On the POST, where it has a status. */
  #refuseScopes(
    { registry }: Session,
    items: readonly Incoming[],
    { request, caller }: Posted,
    id?: RequestId,
  ): HttpReply | undefined {
    const { context, server } = this.#options
    const fault = lackingForAll(server.runtime, items, registry, caller)
    return fault && refuseScopes(context.authenticate, request, fault, id)
  }

  #collect(batch: BatchResponses, id: RequestId, response: EncodedResponse): void {
    const frame = this.#responses.fit(id, response)
    if (frame === undefined) return
    const before = batch.size
    batch.add(id, frame)
    this.#responses.hold(batch.size - before)
  }

  #deliver(incoming: Incoming, { request }: Posted): void {
    deliver(this.session, incoming, (reason) => this.#options.context.rejections.add(request, reason))
  }

  #dispatch(session: Session, message: JsonRpcRequest, { caller }: Posted): Awaitable<EncodedResponse> {
    const { context, server } = this.#options
    const { servers, logger } = context
    const answered = servers.during(server, () => session.call(message, this.#exchange, caller))
    if (!(answered instanceof Promise)) return answered
    return answered.catch((error: unknown) => {
      logger.error({ err: error }, 'A call could not be answered')
      return { frame: errorFrame(message.id, busy()) }
    })
  }

  /** Accepts the message, and sends the answer on the stream later. */
  #answer<T>(answer: Awaitable<T>, send: (answer: T) => void, { request }: Posted): HttpReply {
    const { context, unanswered, onFailure } = this.#options
    const { work, logger } = context
    work.begin()
    unanswered.begin()
    const done = Promise.resolve(answer)
      .then(send)
      .catch((error: unknown) => {
        logger.error({ err: error }, 'A response could not be sent')
        onFailure()
      })
      .finally(() => {
        unanswered.end()
        work.end()
      })
    request.waitUntil?.(done)
    return TAKEN
  }

  async #afterRead(frame: string): Promise<string> {
    if (this.#responses.crowded) return frame
    this.#responses.hold(frame.length)
    await this.session?.confirmRead((ping) => this.#respond(ping))
    this.#responses.hold(-frame.length)
    return frame
  }

  /** Sends a response, whatever is queued. */
  #respond(frame: string | undefined): void {
    if (frame !== undefined) this.#options.writer.writeAlways(messageEvent(frame))
  }
}

function isBusy(answered: Awaitable<EncodedResponse>, { revision }: Session): boolean {
  if (answered instanceof Promise || answered?.error === undefined) return false
  return revision.httpStatus(answered.error) === 503
}
