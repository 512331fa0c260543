import type { Caller } from '../../call/scope.ts'
import { principalOf } from '../../stores/principal.ts'
import { randomUuid } from '../../util/random.ts'
import { Deadlines, Recurring } from '../../util/timers.ts'
import type { EndpointContext } from '../mount.ts'
import { isSseMail, type ReceivedMail } from '../nodes/session-mail.ts'
import { SseRecords } from '../nodes/sse-records.ts'
import { refuse } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import { sweepMs } from '../sessions/session-expiry.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { readerOf } from '../streams/sse-writer.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'
import { messagePath, type SsePaths } from './routes.ts'
import { SseConnection } from './sse-connection.ts'
import { SseGuests } from './sse-guests.ts'

type MessageHandler = (message: unknown) => Reply

export interface LegacySseParts {
  readonly context: EndpointContext
  /** Counts these sessions too: the limits apply to both transports together. */
  readonly sessions: SessionTable
  readonly paths: SsePaths
  /** The path of the mount's public URL, if it has one. */
  readonly publicPath: string | undefined
}

/**
 * The HTTP+SSE transport of 2024-11-05: a GET opens the stream, and each message of the client is a POST,
 * which is answered on the stream. All revisions with sessions can be negotiated.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySse {
  readonly #parts: LegacySseParts
  readonly #connections = new Map<string, SseConnection>()
  /** Closes connections on which no session is initialized in time. */
  readonly #uninitialized: Deadlines
  /** Undefined without other nodes. */
  readonly #records: SseRecords | undefined
  readonly #guests: SseGuests | undefined
  /** Keeps the records of connections alive. */
  readonly #keepAlive: Recurring

  constructor(parts: LegacySseParts) {
    const { context, sessions } = parts
    const { clock, options } = context
    this.#parts = parts
    this.#uninitialized = new Deadlines(clock, options.sessions.uninitializedTtlMs)
    this.#keepAlive = new Recurring(clock, sweepMs(options.sessions), () => {
      for (const connection of this.#connections.values()) connection.keepAlive(clock.now())
    })
    const { network, records: shared } = sessions
    if (network === undefined || shared === undefined) return
    this.#records = new SseRecords(sessions, { network, shared })
    this.#guests = new SseGuests(context, sessions, this.#records)
  }

  closeAll(): void {
    for (const connection of this.#connections.values()) connection.close()
    this.#uninitialized.clear()
  }

  /** Resolves when the other nodes have everything that they must have, or after some time. */
  async flushed(): Promise<void> {
    await this.#guests?.flushed()
    await this.#records?.flushed()
  }

  /** Takes mail of another node. */
  receiveMail({ key, from, mail }: ReceivedMail): void {
    const connection = this.#connections.get(key.id)
    if (connection?.principal !== key.principal) {
      if (isSseMail(mail)) this.#guests?.receiveSseMail(key, mail)
    } else if (isSseMail(mail)) connection.receiveSseMail(from, mail)
    else connection.receiveMail(from, mail)
  }

  handle(request: HttpRequest, caller: Caller): Reply | MessageHandler {
    return request.method === 'GET' ? this.#listen(request, caller) : this.#post(request, caller)
  }

  async #listen(request: HttpRequest, caller: Caller): Promise<HttpReply> {
    const { context, sessions, paths, publicPath } = this.#parts
    const principal = principalOf(caller)
    if (!sessions.reserve(principal)) return refuse('tooManySessions')
    let opened = false
    try {
      return await context.servers.serve({ request, caller }, async (server) => {
        if (context.work.closing) return refuse('draining')
        const connection = this.#open(principal, server)
        opened = true
        if (this.#records !== undefined) await published(connection)
        if (connection.closed) return refuse('draining')
        const address = messagePath(paths, publicPath, request.path)
        return connection.connect(`${address}?sessionId=${connection.id}`, readerOf(request, caller))
      })
    } finally {
      if (!opened) sessions.release(principal)
    }
  }

  #open(principal: string, server: ServedServer): SseConnection {
    const { context, sessions } = this.#parts
    const connection = new SseConnection({
      context,
      sessions,
      id: `${context.options.sessionPrefix}${randomUuid(context.random)}`,
      principal,
      server,
      records: this.#records,
      onClose: (closed) => this.#closed(closed),
    })
    this.#connections.set(connection.id, connection)
    this.#uninitialized.add(connection)
    if (this.#records !== undefined) this.#keepAlive.start()
    server.addConnection(connection)
    return connection
  }

  #closed(connection: SseConnection): void {
    this.#connections.delete(connection.id)
    this.#uninitialized.remove(connection)
    this.#uninitialized.releaseTimer()
    this.#parts.sessions.release(connection.principal)
    connection.server.removeConnection(connection)
    if (this.#connections.size === 0) this.#keepAlive.stop()
    const { principal, id } = connection
    this.#records?.end({ principal, id })
  }

  /** The session of another principal gets the same reply as an unknown one. */
  #post(request: HttpRequest, caller: Caller): HttpReply | MessageHandler {
    const id = request.query('sessionId') ?? request.header('mcp-session-id')
    if (id === undefined || id === '') return refuse('noSessionId')
    const connection = this.#connections.get(id)
    const posted = { request, caller }
    if (connection === undefined && this.#guests !== undefined) {
      const guests = this.#guests
      return (value) => guests.receive(id, value, posted)
    }
    if (connection === undefined || connection.principal !== principalOf(caller))
      return refuse('noConnection')
    connection.renew(caller.auth?.expiresAt)
    this.#parts.context.servers.assign(request, connection.server)
    return (value) => connection.receive(value, posted)
  }
}

/** A connection whose record cannot be stored ends. */
async function published(connection: SseConnection): Promise<void> {
  try {
    await connection.publish()
  } catch (error) {
    connection.close()
    throw error
  }
}
