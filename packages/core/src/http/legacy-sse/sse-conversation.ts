import type { Caller } from '../../call/scope.ts'
import { type Exchange, HTTP_NETWORK } from '../../call/exchange.ts'
import { separating } from '../../call/separate-response.ts'
import type { EncodedResponse } from '../../call/response.ts'
import { type BatchItem, BatchResponses, requestIds, runBatch } from '../../call/batch.ts'
import { busy } from '../../errors.ts'
import { errorFrame, type JsonRpcRequest, type RequestId, resultFrame } from '../../protocol/jsonrpc.ts'
import type { InitializeInput } from '../../session/initialize.ts'
import { deliver, type NoRequest, receive, type Refusal } from '../../session/receiver.ts'
import type { Session } from '../../session/session.ts'
import type { PendingWork } from '../../util/pending-work.ts'
import { type Awaitable, deferred } from '../../util/promises.ts'
import { refuseScopes } from '../guard/authenticate.ts'
import type { EndpointContext } from '../context.ts'
import { refuse, TAKEN } from '../refusals.ts'
import { originOf } from '../request-origin.ts'
import type { ServedServer } from '../servers/served-server.ts'
import { messageEvent } from '../streams/sse-format.ts'
import type { SseWriter } from '../streams/sse-writer.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'
import { SseResponses } from './responses.ts'

export interface Posted {
  readonly request: HttpRequest
  readonly caller: Caller
}

/** The input of an `initialize` request. The connection adds its principal and id. */
export type SseInitialize = Omit<InitializeInput, 'principal' | 'id'>

/** The response to `initialize`, with the session if one was opened, or the reply that refuses the POST. */
export type SseOpening = { readonly frame: string; readonly session: Session | undefined } | HttpReply

interface SseConversationOptions {
  readonly context: EndpointContext
  readonly server: ServedServer
  readonly id: string
  readonly writer: SseWriter
  /** Counts the calls that do not have a response yet. */
  readonly unanswered: PendingWork
  readonly open: (request: SseInitialize) => Promise<SseOpening>
  /** Called if a response cannot be sent. */
  readonly onFailure: () => void
}

/** Handles the messages that an HTTP+SSE client posts, and responds on its event stream. */
export class SseConversation {
  /** Undefined before the response to `initialize`. */
  session: Session | undefined
  readonly #options: SseConversationOptions
  readonly #responses: SseResponses
  readonly #exchange: Exchange
  /** Whether `initialize` is in progress. */
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

  /** Handles a message that the client has posted. Responses follow on the stream. */
  receive(value: unknown, posted: Posted): Reply {
    const { context, server } = this.#options
    const draining = context.work.closing || server.closing
    const behind = this.#responses.refuses(this.session?.inFlight ?? 0)
    return receive<HttpReply>(value, {
      served: server.legacy,
      stateless: false,
      // Responses are never dropped, so a client that sends requests faster than it reads responses must wait.
      unavailable: draining ? 'draining' : behind || this.#opening ? 'busy' : undefined,
      findSession: () => this.session,
      refuse: (refusal) => this.#refuse(refusal, posted),
      pong: (id) => this.#taken(resultFrame(id, '{}')),
      deliver: (item) => this.#deliver(item, posted),
      initialize: (message) => this.#initialize(message, posted),
      call: (message) => this.#call(message, posted),
      callAll: (items) => this.#callAll(items, posted),
    })
  }

  /** Refuses a message in the reply to the POST. Some protocol errors are sent on the stream instead. */
  #refuse({ reason, id, error }: Refusal, { request }: Posted): HttpReply {
    if (id === undefined || (reason !== 'missingSession' && reason !== 'initializedAlready'))
      return refuse(reason, { id, message: error.message, code: error.code })
    this.#options.context.rejections.add(request, reason)
    return this.#taken(errorFrame(id, error))
  }

  /**
   * Replies only after the session has opened, so that the client can post its next message as soon as it has
   * the reply.
   */
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

  #call(message: JsonRpcRequest, posted: Posted): HttpReply {
    const { id } = message
    const refused = this.#refuseScopes([{ kind: 'request', message }], posted, id)
    if (refused !== undefined) return refused
    const response = this.#run(message, posted)
    // If the server is busy, the call is refused in the reply to the POST, because the client sees the reply
    // before its own timeout.
    if (!(response instanceof Promise) && response?.error !== undefined)
      if (this.session?.revision.httpStatus(response.error) === 503) return refuse('busy', { id })
    const send = (settled: EncodedResponse): void => this.#respond(this.#responses.fit(id, settled))
    return this.#answer(response, send, posted)
  }

  #callAll(items: readonly BatchItem[], posted: Posted): HttpReply {
    const refused = this.#refuseScopes(items, posted)
    if (refused !== undefined) return refused
    const ids = requestIds(items)
    const responses = new BatchResponses(ids.length, this.#options.server.runtime.maxResultBytes)
    const { promise, resolve } = deferred()
    runBatch(items, {
      deliver: (item) => void this.#deliver(item, posted),
      call: (message) => this.#run(message, posted, { ...this.#exchange, batch: responses }),
      collect: (id, response) => {
        const before = responses.size
        responses.add(id, this.#responses.fit(id, response))
        this.#responses.hold(responses.size - before)
        if (responses.complete) resolve()
      },
      failed: (error) => this.#failed(error),
    })
    if (ids.length === 0) return TAKEN
    const send = (): void => {
      this.#responses.hold(-responses.size)
      this.#respond(responses.join())
    }
    return this.#answer(promise, send, posted)
  }

  #refuseScopes(
    items: readonly BatchItem[],
    { request, caller }: Posted,
    id?: RequestId,
  ): HttpReply | undefined {
    const { context, server } = this.#options
    const fault = server.runtime.dispatcher.admitAll(items, this.session?.registry, caller)
    return fault && refuseScopes(context.authenticate, request, fault, id)
  }

  #deliver(item: NoRequest, { request }: Posted): HttpReply {
    if (deliver(this.session, item) === false)
      this.#options.context.rejections.add(request, 'unmatchedResponse')
    return TAKEN
  }

  #run(message: JsonRpcRequest, { caller }: Posted, exchange = this.#exchange): Awaitable<EncodedResponse> {
    const { context, server } = this.#options
    const response = context.servers.during(server, () => this.session?.call(message, exchange, caller))
    if (!(response instanceof Promise)) return response
    return response.catch((error: unknown) => {
      this.#failed(error)
      return { frame: errorFrame(message.id, busy()) }
    })
  }

  #failed(error: unknown): void {
    this.#options.context.logger.error({ err: error }, 'A call could not be answered')
  }

  /** Accepts the message, and sends the response on the stream later. */
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
    if (this.#responses.full) return frame
    this.#responses.hold(frame.length)
    await this.session?.confirmRead((ping) => this.#respond(ping))
    this.#responses.hold(-frame.length)
    return frame
  }

  #taken(frame: string): HttpReply {
    this.#respond(frame)
    return TAKEN
  }

  /** Sends a response even if the queue is full. */
  #respond(frame: string | undefined): void {
    if (frame !== undefined) this.#options.writer.writeAlways(messageEvent(frame))
  }
}
