import type { Caller } from '../../call/context.ts'
import { principalOf } from '../../stores/principal.ts'
import { randomUuid } from '../../util/random.ts'
import { Deadlines } from '../../util/timers.ts'
import type { EndpointContext } from '../mount.ts'
import { refuse } from '../refusals.ts'
import type { ServedServer } from '../served-server.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { readerOf } from '../streams/sse-writer.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'
import { messagePath, type SsePaths } from './routes.ts'
import { SseConnection } from './sse-connection.ts'

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

  constructor(parts: LegacySseParts) {
    const { clock, options } = parts.context
    this.#parts = parts
    this.#uninitialized = new Deadlines(clock, options.sessions.uninitializedTtlMs)
  }

  closeAll(): void {
    for (const connection of this.#connections.values()) connection.close()
    this.#uninitialized.clear()
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
    this.#parts.sessions.release(connection.principal)
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
    this.#parts.context.servers.assign(request, connection.server)
    const posted = { request, caller }
    return (value) => connection.receive(value, posted)
  }
}
