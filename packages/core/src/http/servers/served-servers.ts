import type { Awaitable } from '../../util/promises.ts'
import { usageError } from '../../errors.ts'
import type { RequestId } from '../../protocol/jsonrpc.ts'
import type { AuthInfo } from '../../stores/principal.ts'
import type { ServerRuntime } from '../../session/server-runtime.ts'
import type { Caller } from '../../call/scope.ts'
import type { Session } from '../../session/session.ts'
import { refuse } from '../refusals.ts'
import type { ServedServer } from './served-server.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'

/** The members of an `McpServer` that `createEndpoint` uses. */
export interface Servable<Locals = unknown> {
  readonly runtime: ServerRuntime
  readonly '~locals'?: (locals: Locals) => void
}

/**
 * Selects the server for a request, for example by tenant. Called once per session when the session starts, or
 * once per request on a mount without sessions. If it returns undefined, the request is refused with 404. If it
 * throws, the error is logged and the request is refused with 500. The application must close the servers that
 * it creates.
 */
export type ServerSelector<Locals = unknown> = (
  request: HttpRequest,
  auth: AuthInfo | undefined,
) => Servable<Locals> | undefined | Promise<Servable<Locals> | undefined>

/** A request for which a server must be found. */
interface ServerLookup {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly id?: RequestId | undefined
  /** The server of the request's session, if it has one. */
  readonly found?: ServedServer | undefined
  /** Refuses a request that the server cannot serve, before the server's lifespan opens. */
  readonly refuse?: (server: ServedServer) => HttpReply | undefined
}

/** Holds a mount's servers: a single server, or the servers that a selector has returned and that are in use. */
export class ServedServers {
  /** Undefined if the mount has a selector. */
  readonly single: ServedServer | undefined
  readonly #select: ServerSelector | undefined
  readonly #create: (runtime: ServerRuntime) => ServedServer
  readonly #inUse = new Map<ServerRuntime, ServedServer>()
  readonly #assigned = new WeakMap<HttpRequest, ServedServer>()

  constructor(server: Servable | ServerSelector, create: (runtime: ServerRuntime) => ServedServer) {
    this.#create = create
    if (typeof server === 'function') this.#select = server
    else this.single = create(server.runtime)
  }

  /**
   * The single server, if its lifespan is open. Nearly every call uses this server directly instead of calling
   * `serve`.
   */
  get open(): ServedServer | undefined {
    return this.single?.runtime.ready() === undefined ? this.single : undefined
  }

  /**
   * Returns the server for a request without a session, or undefined if there is none.
   *
   * @throws `ERR_MCP_CLOSED` if the server is closed, and errors thrown by the selector
   */
  choose(
    request: HttpRequest,
    { auth }: Caller,
  ): ServedServer | undefined | Promise<ServedServer | undefined> {
    if (this.single !== undefined) return this.single
    const chosen = this.#select?.(request, auth)
    return chosen instanceof Promise ? chosen.then((server) => this.#use(server)) : this.#use(chosen)
  }

  /** Finds the server for a request, and counts the request as the server's work until the reply is ready. */
  find({ request, caller, id, found }: ServerLookup, then: (server: ServedServer) => Reply): Reply {
    const go = (server: ServedServer | undefined): Reply => {
      if (server === undefined) return refuse('noServer', { id })
      this.assign(request, server)
      return this.during(server, () => then(server))
    }
    const server = found ?? this.choose(request, caller)
    return server instanceof Promise ? server.then(go) : go(server)
  }

  /** Finds the server for a request, and opens the server's lifespan before its first call. */
  serve(lookup: ServerLookup, then: (server: ServedServer) => Reply): Reply {
    return this.find(lookup, (server) => {
      const refused = lookup.refuse?.(server)
      if (refused !== undefined) return refused
      const ready = server.runtime.ready()
      return ready === undefined ? then(server) : ready.then(() => then(server))
    })
  }

  /** Remembers the server for a request, if there are several servers. */
  assign(request: HttpRequest, server: ServedServer): void {
    if (this.single === undefined) this.#assigned.set(request, server)
  }

  /** Returns the server for a request, or undefined if none has been selected yet. */
  of(request: HttpRequest): ServedServer | undefined {
    return this.single ?? this.#assigned.get(request)
  }

  /**
   * Runs a step as part of a server's work. Afterwards, releases the server if it came from a selector and is
   * idle.
   */
  during<T>(server: ServedServer, step: () => Awaitable<T>): Awaitable<T> {
    if (server === this.single) return step()
    server.begin()
    let result: Awaitable<T>
    try {
      result = step()
    } catch (error) {
      server.end()
      throw error
    }
    if (result instanceof Promise) return result.finally(() => server.end())
    server.end()
    return result
  }

  /** Iterates over all sessions on both transports. */
  *sessions(): Iterable<Session> {
    for (const server of this.single === undefined ? this.#inUse.values() : [this.single])
      yield* server.sessions
  }

  /** Closes all servers on this mount after the mount has drained. */
  finish(): void {
    this.single?.finish()
    for (const server of this.#inUse.values()) server.finish()
    this.#inUse.clear()
  }

  #use(chosen: Servable | undefined): ServedServer | undefined {
    if (chosen === undefined) return undefined
    const { runtime } = chosen
    const before = this.#inUse.get(runtime)
    if (before?.closing === true) throw usageError('ERR_MCP_CLOSED', 'The selected server is closing')
    if (before !== undefined) return before
    const server = this.#create(runtime)
    runtime.attach(server)
    this.#inUse.set(runtime, server)
    server.onIdle = () => {
      // A closing server calls `finish` itself.
      if (server.closing) return
      this.#inUse.delete(runtime)
      server.finish()
    }
    void server.closed.then(() => {
      if (this.#inUse.get(runtime) === server) this.#inUse.delete(runtime)
    })
    return server
  }
}
