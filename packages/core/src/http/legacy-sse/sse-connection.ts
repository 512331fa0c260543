import type { Caller } from '../../call/context.ts'
import { type Exchange, HTTP_NETWORK } from '../../call/exchange.ts'
import { separating } from '../../call/separate-response.ts'
import type { EncodedResponse } from '../../call/response.ts'
import { BatchResponses } from '../../call/response-limit.ts'
import { refusal } from '../../duplex/connection.ts'
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
import { initialize } from '../../session/initialize.ts'
import type { Session } from '../../session/session.ts'
import { Outstanding } from '../../util/outstanding.ts'
import { type Awaitable, chain } from '../../util/promises.ts'
import type { Deadline, Due } from '../../util/timers.ts'
import type { EndpointContext } from '../mount.ts'
import { refuse, TAKEN } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { originOf } from '../request-origin.ts'
import { deliver } from '../streamable/post-exchange.ts'
import { createSseWriter } from '../streams/create-writer.ts'
import { formatEvent } from '../streams/sse-format.ts'
import type { SseWriter, StreamReader } from '../streams/sse-writer.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'
import { SseResponses } from './responses.ts'

export interface SseConnectionOptions {
  readonly context: EndpointContext
  readonly sessions: SessionTable
  readonly id: string
  readonly principal: string
  readonly server: ServedServer
  /** Called once, when the connection has ended. */
  readonly onClose: (connection: SseConnection) => void
}

interface Posted {
  readonly request: HttpRequest
  readonly caller: Caller
}

/**
 * One client of the HTTP+SSE transport: an event stream for all messages of the server, and the session that
 * `initialize` opens on it. The stream and the session end together.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class SseConnection implements Due {
  deadline: Deadline | undefined
  readonly id: string
  readonly principal: string
  readonly server: ServedServer
  readonly #options: SseConnectionOptions
  readonly #writer: SseWriter
  readonly #responses: SseResponses
  readonly #exchange: Exchange
  readonly #unanswered: Outstanding
  #session: Session | undefined
  /** While `initialize` is being answered. */
  #opening = false
  #closed = false

  constructor(options: SseConnectionOptions) {
    const { context, id, principal, server } = options
    this.#options = options
    this.id = id
    this.principal = principal
    this.server = server
    this.#unanswered = new Outstanding(context.clock)
    this.#writer = createSseWriter(context, {
      overflow: 'drop',
      server,
      principal,
      sessionId: id,
      onExpired: () => this.close(),
      onGone: () => this.close(),
    })
    this.#responses = new SseResponses({
      writer: this.#writer,
      server,
      sessionId: id,
      outboundLimit: context.options.outboundLimit,
    })
    this.#exchange = separating(
      {
        duplex: true,
        network: HTTP_NETWORK,
        send: (frame) => this.#send(frame),
        request: (frame) => this.#respond(frame),
      },
      server.runtime.clock,
      (frame) => this.#afterRead(frame),
    )
  }

  /** The reply that carries the stream. Its first event has the address for messages. */
  connect(address: string, reader: StreamReader): HttpReply {
    this.#writer.writeAlways(formatEvent({ event: 'endpoint', data: address }))
    return this.#writer.reply(reader)
  }

  /** A message had new credentials: a client that renews them keeps its stream. */
  renew(expiresAt: number | undefined): void {
    this.#writer.expiresAt = expiresAt
  }

  /** The time to initialize a session is over. */
  due(): void {
    if (this.#session === undefined) this.close()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#session !== undefined) {
      this.#session.close()
      this.server.removeSession(this.#session)
    }
    this.#options.onClose(this)
    // The session has ended its calls: their answers are the last events.
    void this.#unanswered.flushed().then(() => this.#writer.end())
  }

  /** Takes a message that the client has posted. Responses follow on the stream. */
  receive(value: unknown, posted: Posted): Reply {
    // The connection may have closed while the body was read.
    if (this.#closed) return refuse('noConnection')
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
    const session = this.#session
    const { legacy: served } = this.server
    const selection = selectRevision({ message, session: session?.revision, served, stateless: false })
    if (selection.kind === 'initialize') return this.#initialize(message, posted)
    if (selection.kind === 'serve' && session !== undefined) return this.#call(session, message, posted)
    if (selection.kind === 'refuse') {
      if (message.method !== Method.Ping)
        this.#options.context.rejections.add(posted.request, selection.reason)
      this.#respond(refusal(message, selection))
    }
    return TAKEN
  }

  /** The reply to requests that cannot run now; responses and cancellations are still accepted. */
  #refuseRequests(id?: RequestId): HttpReply | undefined {
    if (this.#options.context.work.closing || this.server.closing) return refuse('draining', { id })
    // Responses are never dropped. A client that sends more requests than it reads responses must wait.
    const full = this.#responses.refuses(this.#session?.inFlight ?? 0)
    return full || this.#opening ? refuse('busy', { id }) : undefined
  }

  /** Replies once the session is open, so that a client can post its next message at once. */
  async #initialize(message: JsonRpcRequest, { request }: Posted): Promise<HttpReply> {
    const { server, principal, id } = this
    const { servers, rejections } = this.#options.context
    this.#opening = true
    try {
      const { session, frame } = await servers.during(server, () =>
        initialize(server.runtime, {
          served: server.legacy,
          message,
          principal,
          id,
          origin: originOf(request),
        }),
      )
      if (this.#closed) {
        session?.close()
        return refuse('noConnection')
      }
      if (session === undefined) rejections.add(request, 'initializeRefused')
      else this.#begin(session)
      this.#respond(frame)
      return TAKEN
    } finally {
      this.#opening = false
    }
  }

  #begin(session: Session): void {
    this.#session = session
    session.attach({
      send: (frame) => void this.#writer.notify(messageEvent(frame)),
      ping: (frame) => {
        if (this.#closed) return false
        this.#writer.write(messageEvent(frame))
        return true
      },
    })
    session.onClose(() => this.close())
    this.#options.sessions.start(session, this.server)
  }

  #call(session: Session, message: JsonRpcRequest, posted: Posted): HttpReply {
    const answered = this.#dispatch(session, message, posted)
    // A busy server refuses on the POST, which the client sees before its own timeout.
    if (isBusy(answered, session)) return refuse('busy', { id: message.id })
    const send = (response: EncodedResponse): void => this.#respond(this.#responses.fit(message.id, response))
    return this.#answer(answered, send, posted)
  }

  #batch(values: readonly unknown[], posted: Posted): HttpReply {
    const session = this.#session
    if (session === undefined || !session.revision.batching) return refuse('batch')
    const batch = readBatch(values)
    if ('fault' in batch) return refuse('batch', { message: batch.fault })
    const asks = batch.items.some(({ kind }) => kind === 'request')
    const refused = asks ? this.#refuseRequests() : undefined
    if (refused !== undefined) return refused
    const responses = new BatchResponses(this.server.runtime.maxResultBytes)
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

  #collect(batch: BatchResponses, id: RequestId, response: EncodedResponse): void {
    const frame = this.#responses.fit(id, response)
    if (frame === undefined) return
    const before = batch.size
    batch.add(id, frame)
    this.#responses.hold(batch.size - before)
  }

  #deliver(incoming: Incoming, { request }: Posted): void {
    deliver(this.#session, incoming, (reason) => this.#options.context.rejections.add(request, reason))
  }

  #dispatch(session: Session, message: JsonRpcRequest, { caller }: Posted): Awaitable<EncodedResponse> {
    const { servers, logger } = this.#options.context
    const answered = servers.during(this.server, () => session.call(message, this.#exchange, caller))
    if (!(answered instanceof Promise)) return answered
    return answered.catch((error: unknown) => {
      logger.error({ err: error }, 'A call could not be answered')
      return { frame: errorFrame(message.id, busy()) }
    })
  }

  /** Accepts the message, and sends the answer on the stream later. */
  #answer<T>(answer: Awaitable<T>, send: (answer: T) => void, { request }: Posted): HttpReply {
    const { work, logger } = this.#options.context
    work.begin()
    this.#unanswered.begin()
    const done = Promise.resolve(answer)
      .then(send)
      .catch((error: unknown) => {
        logger.error({ err: error }, 'A response could not be sent')
        this.close()
      })
      .finally(() => {
        this.#unanswered.end()
        work.end()
      })
    request.waitUntil?.(done)
    return TAKEN
  }

  /** Sends a notification of a call, which is dropped if the client is too far behind. */
  #send(frame: string): void | Promise<void> {
    this.#writer.write(messageEvent(frame))
    return this.#writer.pressure()
  }

  async #afterRead(frame: string): Promise<string> {
    if (this.#responses.crowded) return frame
    this.#responses.hold(frame.length)
    await this.#session?.confirmRead((ping) => this.#respond(ping))
    this.#responses.hold(-frame.length)
    return frame
  }

  /** Sends a response, whatever is queued. */
  #respond(frame: string | undefined): void {
    if (frame !== undefined) this.#writer.writeAlways(messageEvent(frame))
  }
}

function isBusy(answered: Awaitable<EncodedResponse>, { revision }: Session): boolean {
  if (answered instanceof Promise || answered?.error === undefined) return false
  return revision.httpStatus(answered.error) === 503
}

/** `message` is the default type, but some clients need it. */
const messageEvent = (frame: string): string => formatEvent({ event: 'message', data: frame })
