import type { Caller } from '../../call/scope.ts'
import { principalOf } from '../../stores/principal.ts'
import { randomUuid } from '../../util/random.ts'
import { Deadlines } from '../../util/timers.ts'
import type { EndpointContext } from '../context.ts'
import type { ReceivedMail } from '../nodes/session-mail.ts'
import { refuse } from '../refusals.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'
import { messagePath, type SsePaths } from '../sse-paths.ts'
import { SseConnection } from './sse-connection.ts'
import { SseForwarding } from './sse-forwarding.ts'

type MessageHandler = (message: unknown) => Reply

interface LegacySseParts {
  readonly context: EndpointContext
  /** Counts the sessions on both transports, because the limits apply to them combined. */
  readonly sessions: SessionTable
  readonly paths: SsePaths
  /** The path of the mount's public URL, if it has one. */
  readonly publicPath: string | undefined
}

/**
 * Serves the HTTP+SSE transport of revision 2024-11-05: a GET request opens the stream, the client posts each
 * message, and the server responds on the stream. All revisions with sessions can be negotiated.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySse {
  readonly #parts: LegacySseParts
  readonly #connections = new Map<string, SseConnection>()
  /** Closes connections on which no session is initialized in time. */
  readonly #uninitialized: Deadlines
  /** Undefined if there are no other nodes. */
  readonly #forwarding: SseForwarding | undefined

  constructor(parts: LegacySseParts) {
    const { context, sessions } = parts
    const { clock, options } = context
    this.#parts = parts
    this.#uninitialized = new Deadlines(clock, options.sessions.uninitializedTtlMs)
    const { network } = sessions
    if (network === undefined) return
    const connectionOf = (id: string): SseConnection | undefined => this.#connections.get(id)
    this.#forwarding = new SseForwarding({ context, peers: network.peers, connectionOf })
  }

  closeAll(): void {
    for (const connection of this.#connections.values()) connection.close()
    this.#uninitialized.clear()
    this.#forwarding?.close()
  }

  /** Handles a message from another node. */
  receiveMail(received: ReceivedMail): void {
    this.#forwarding?.receive(received)
  }

  handle(request: HttpRequest, caller: Caller): Reply | MessageHandler {
    if (request.method === 'GET') return this.#listen(request, caller)
    const id = request.query('sessionId') ?? request.header('mcp-session-id')
    if (id === undefined || id === '') return refuse('noSessionId')
    const connection = this.#connections.get(id)
    const posted = { request, caller }
    const forwarding = this.#forwarding
    if (connection === undefined && forwarding !== undefined)
      return (value) => forwarding.post(id, value, posted)
    // A session that belongs to another principal produces the same reply as an unknown one.
    if (connection === undefined || connection.principal !== principalOf(caller))
      return refuse('noConnection')
    connection.renew(caller.auth?.expiresAt)
    this.#parts.context.servers.assign(request, connection.server)
    return (value) => connection.receive(value, posted)
  }

  async #listen(request: HttpRequest, caller: Caller): Promise<HttpReply> {
    const { context, sessions, paths, publicPath } = this.#parts
    const principal = principalOf(caller)
    // A connection is never replaced by another one, so anonymous connections must leave half of the slots to
    // principals.
    if (!sessions.reserve(principal, context.options.sessions.max / 2)) return refuse('tooManySessions')
    let opened = false
    try {
      // Announces this node to the others before its id appears in the URL for messages.
      const ending = (await this.#forwarding?.begin()) ?? ''
      return await context.servers.serve({ request, caller }, (server) => {
        if (context.work.closing) return refuse('draining')
        const connection = new SseConnection({
          context,
          sessions,
          id: `${context.options.sessionPrefix}${randomUuid(context.random)}${ending}`,
          principal,
          server,
          opened: { request, caller },
          onClose: (closed) => this.#closed(closed),
        })
        opened = true
        this.#connections.set(connection.id, connection)
        this.#uninitialized.add(connection)
        server.addConnection(connection)
        const address = messagePath(paths, publicPath, request.path)
        return connection.connect(`${address}?sessionId=${connection.id}`)
      })
    } finally {
      if (!opened) sessions.release(principal)
    }
  }

  #closed(connection: SseConnection): void {
    this.#connections.delete(connection.id)
    this.#uninitialized.remove(connection)
    this.#uninitialized.releaseTimer()
    this.#parts.sessions.release(connection.principal)
    connection.server.removeConnection(connection)
  }
}
