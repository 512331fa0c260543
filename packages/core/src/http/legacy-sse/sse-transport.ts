import { busy } from '../../errors.ts'
import { classify, errorFrame, type JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import { selectRevision } from '../../protocol/revisions/select.ts'
import { principalOf } from '../../stores/principal.ts'
import { readBatch } from '../../protocol/batch.ts'
import { refusal } from '../../duplex/connection.ts'
import type { EncodedResponse } from '../../call/response.ts'
import { initialize } from '../../session/initialize.ts'
import { randomUuid } from '../../util/random.ts'
import type { Caller } from '../../call/context.ts'
import type { Session } from '../../session/session.ts'
import { Deadlines } from '../../util/timers.ts'
import { messagePath, type SsePaths } from './routes.ts'
import { deliver } from '../streamable/post-exchange.ts'
import type { EndpointContext } from '../mount.ts'
import { readerOf } from '../streams/sse-writer.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { SseConnection } from './sse-connection.ts'
import { refuse, TAKEN } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

type Reply = HttpReply | Promise<HttpReply>
type MessageHandler = (message: unknown) => Reply

/** One message, its caller and its connection. */
interface Posted {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly connection: SseConnection
}

export interface LegacySseParts {
  readonly context: EndpointContext
  /** Counts these sessions too: the limits apply to both transports together. */
  readonly sessions: SessionTable
  readonly paths: SsePaths
  /** The path of the mount's public URL, if it has one. */
  readonly publicPath: string | undefined
}

/**
 * The HTTP+SSE transport of 2024-11-05: a GET opens the stream, and each message of the client is a POST, which is answered
 * on the stream. All revisions with sessions can be negotiated.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySse {
  readonly #context: EndpointContext
  readonly #sessions: SessionTable
  readonly #parts: LegacySseParts
  readonly #connections = new Map<string, SseConnection>()
  readonly #uninitialized: Deadlines

  constructor(parts: LegacySseParts) {
    const { context, sessions } = parts
    this.#parts = parts
    this.#context = context
    this.#sessions = sessions
    this.#uninitialized = new Deadlines(context.clock, context.options.sessions.uninitializedTtlMs)
  }

  closeAll(): void {
    for (const connection of this.#connections.values()) connection.close()
    this.#uninitialized.clear()
  }

  handle(request: HttpRequest, caller: Caller): Reply | MessageHandler {
    return request.method === 'GET' ? this.#listen(request, caller) : this.#post(request, caller)
  }

  async #listen(request: HttpRequest, caller: Caller): Promise<HttpReply> {
    const principal = principalOf(caller)
    if (!this.#sessions.reserve(principal)) return refuse('tooManySessions')
    let opened = false
    try {
      const { servers } = this.#context
      return await servers.serve({ request, caller }, async (server) => {
        if (this.#context.work.closing) return refuse('draining')
        const connection = this.#open(principal, server)
        opened = true
        return connection.connect(
          `${this.#addressOf(request)}?sessionId=${connection.id}`,
          readerOf(request, caller),
        )
      })
    } finally {
      if (!opened) this.#sessions.release(principal)
    }
  }

  #addressOf({ path }: HttpRequest): string {
    const { paths, publicPath } = this.#parts
    return messagePath({ paths, publicPath, requested: path })
  }

  #open(principal: string, server: ServedServer): SseConnection {
    const connection = new SseConnection({
      context: this.#context,
      id: randomUuid(this.#context.random),
      principal,
      server,
      onClose: (closed) => this.#closed(closed),
    })
    this.#connections.set(connection.id, connection)
    this.#uninitialized.add(connection)
    server.addConnection(connection)
    return connection
  }

  #closed(connection: SseConnection): void {
    this.#connections.delete(connection.id)
    this.#uninitialized.remove(connection)
    this.#uninitialized.releaseTimer()
    this.#sessions.release(connection.principal)
    connection.server.removeConnection(connection)
  }

  /** The session of another principal gets the same reply as an unknown one. */
  #post(request: HttpRequest, caller: Caller): HttpReply | MessageHandler {
    const id = request.query('sessionId') ?? request.header('mcp-session-id')
    if (id === undefined || id === '') return refuse('noSessionId')
    const connection = this.#connections.get(id)
    if (connection === undefined || connection.principal !== principalOf(caller))
      return refuse('noConnection')
    connection.renew(caller.auth?.expiresAt)
    this.#context.servers.assign(request, connection.server)
    const posted = { request, caller, connection }
    return (value) => this.#received(posted, value)
  }

  #received(posted: Posted, value: unknown): Reply {
    // The connection may have closed while the body was read.
    if (posted.connection.closed) return refuse('noConnection')
    if (Array.isArray(value)) return this.#batch(posted, value)
    const incoming = classify(value)
    if (incoming.kind === 'invalid')
      return refuse('invalidMessage', { id: incoming.id, message: incoming.reason })
    if (incoming.kind === 'request') return this.#request(posted, incoming.message)
    deliver(posted.connection.session, incoming)
    return TAKEN
  }

  /** Requests are refused; responses and cancellations are still accepted. */
  #closing({ server }: SseConnection): boolean {
    return this.#context.work.closing || server.closing
  }

  #request(posted: Posted, message: JsonRpcRequest): Reply {
    const { connection } = posted
    const { id } = message
    if (this.#closing(connection)) return refuse('draining', { id })
    if (connection.behind || connection.opening) return refuse('busy', { id })
    const { session } = connection
    const { legacy: served } = connection.server
    const selection = selectRevision({ message, session: session?.revision, served, stateless: false })
    if (selection.kind === 'initialize') return this.#initialize(posted, message)
    if (selection.kind === 'serve' && session !== undefined) return this.#call(posted, session, message)
    if (selection.kind === 'refuse') {
      if (message.method !== Method.Ping) this.#context.rejections.add(posted.request, selection.reason)
      connection.respond(refusal(message, selection))
    }
    return TAKEN
  }

  /** Replies once the session is open, so that a client can post its next message at once. */
  async #initialize({ connection, request }: Posted, message: JsonRpcRequest): Promise<HttpReply> {
    const { server, principal, id } = connection
    const served = server.legacy
    connection.opening = true
    try {
      const { session, frame } = await this.#context.servers.during(server, () =>
        initialize(server.runtime, { served, message, principal, id }),
      )
      if (connection.closed) {
        session?.close()
        return refuse('noConnection')
      }
      if (session === undefined) this.#context.rejections.add(request, 'initializeRefused')
      else this.#begin(connection, session)
      connection.respond(frame)
      return TAKEN
    } finally {
      connection.opening = false
    }
  }

  #begin(connection: SseConnection, session: Session): void {
    this.#uninitialized.remove(connection)
    this.#uninitialized.releaseTimer()
    connection.begin(session)
    this.#sessions.start(session, connection.server)
  }

  #call(posted: Posted, session: Session, message: JsonRpcRequest): Reply {
    const answered = this.#dispatch(posted, session, message)
    // A busy server refuses on the POST, which the client sees before its own timeout.
    if (isBusy(answered, session)) return refuse('busy', { id: message.id })
    return this.#answer(posted, [answered], ([frame]) => frame)
  }

  #batch(posted: Posted, values: readonly unknown[]): Reply {
    const { connection } = posted
    const { session } = connection
    if (session === undefined || !session.revision.batching) return refuse('batch')
    const batch = readBatch(values)
    if ('fault' in batch) return refuse('batch', { message: batch.fault })
    const asks = batch.items.some(({ kind }) => kind === 'request')
    if (asks && this.#closing(connection)) return refuse('draining')
    if (asks && connection.behind) return refuse('busy')
    const answers: (EncodedResponse | Promise<EncodedResponse>)[] = []
    for (const item of batch.items) {
      if (item.kind === 'request') answers.push(this.#dispatch(posted, session, item.message))
      else deliver(session, item)
    }
    if (!asks) return TAKEN
    return this.#answer(posted, answers, (frames) => `[${frames.join(',')}]`)
  }

  #dispatch(
    { caller, connection }: Posted,
    session: Session,
    message: JsonRpcRequest,
  ): EncodedResponse | Promise<EncodedResponse> {
    const { server } = connection
    const answered = this.#context.servers.during(server, () => session.call(message, connection, caller))
    if (!(answered instanceof Promise)) return answered
    return answered.catch((error: unknown) => {
      this.#context.logger.error({ err: error }, 'A call could not be answered')
      return { frame: errorFrame(message.id, busy()) }
    })
  }

  /** Accepts the message, and sends the answers on the stream later. */
  #answer(
    { connection, request }: Posted,
    answers: readonly (EncodedResponse | Promise<EncodedResponse>)[],
    join: (frames: readonly string[]) => string | undefined,
  ): HttpReply {
    const { work } = this.#context
    work.begin()
    const done = Promise.all(answers.map(async (answer) => answer)).then((all) => {
      const frames = all.flatMap((answer) => (answer === undefined ? [] : [answer.frame]))
      const text = frames.length === 0 ? undefined : join(frames)
      if (text !== undefined) connection.respond(text)
      work.end()
    })
    request.waitUntil?.(done)
    return TAKEN
  }
}

function isBusy(answered: EncodedResponse | Promise<EncodedResponse>, { revision }: Session): boolean {
  if (answered instanceof Promise || answered?.error === undefined) return false
  return revision.httpStatus(answered.error) === 503
}
