import { usageError } from '../errors.ts'
import type { RequestId } from '../protocol/jsonrpc.ts'
import type { AuthInfo } from '../stores/principal.ts'
import { type ChangeEvent, CHANGES_TOPIC, toChangeEvent } from '../stores/bus.ts'
import type { Clock } from '../util/clock.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import { Drainable } from '../session/drainable.ts'
import type { ServerMount, ServerRuntime } from '../session/server-runtime.ts'
import type { Caller, Session } from '../session/session.ts'
import { type Gauges, NOTHING_HELD } from '../session/stats.ts'
import { isolatedRequests } from '../util/platform.ts'
import { refuse } from './refusals.ts'
import type { HttpReply, HttpRequest } from './types.ts'

/** What `createEndpoint` needs of a server: `McpServer` has it. */
export interface Servable<Locals = unknown> {
  readonly runtime: ServerRuntime
  readonly '~locals'?: (locals: Locals) => void
}

/**
 * Chooses the server of a request, for example by its tenant: asked once for each session, when it begins, and without
 * sessions for each request. Undefined is answered 404; what it throws is logged and answered 500. Servers that it creates
 * are the application's to close.
 */
export type ServerSelector<Locals = unknown> = (
  request: HttpRequest,
  auth: AuthInfo | undefined,
) => Servable<Locals> | undefined | Promise<Servable<Locals> | undefined>

/** A client's connection, which may not have a session yet. */
interface Held {
  close(): void
}

/** What a mount holds of one of its servers. */
type Measure = (tenant: ServedServer) => Gauges

/** One server on a mount, and the sessions that it has here. They hear of changes through the server's own bus. */
export class ServedServer implements ServerMount {
  readonly runtime: ServerRuntime
  readonly #measure: Measure
  readonly #work: Drainable
  readonly #sessions = new Set<Session>()
  readonly #listens = new Set<Subscription>()
  readonly #held = new Set<Held>()
  #calls = 0
  #unsubscribe: (() => void) | undefined

  constructor(runtime: ServerRuntime, clock: Clock, measure: Measure) {
    this.runtime = runtime
    this.#measure = measure
    this.#work = new Drainable(clock, {
      begin: () => {
        for (const listen of this.#listens) listen.close()
      },
      finish: () => this.finish(),
    })
  }

  get closed(): Promise<void> {
    return this.#work.closed
  }
  get closing(): boolean {
    return this.#work.closing
  }
  get idle(): boolean {
    return this.#calls === 0 && this.#sessions.size === 0 && this.#listens.size === 0 && this.#held.size === 0
  }

  gauges(): Gauges {
    return this.#measure(this)
  }

  /** Takes in a session that has just begun here. */
  take(session: Session): void {
    this.#sessions.add(session)
    session.onClose(() => this.#drop(session))
    this.#follow()
  }

  /** Tells a subscription of changes until it ends. */
  tell(listen: Subscription): void {
    // No other request can write to this stream.
    if (isolatedRequests()) {
      listen.onClose(this.#subscribe((event) => listen.onChange(event)))
      return
    }
    this.#listens.add(listen)
    listen.onClose(() => {
      if (this.#listens.delete(listen)) this.#left()
    })
    this.#follow()
  }

  /** Stays in use for a connection until that is let go, and closes it at the end. */
  hold(connection: Held): void {
    this.#held.add(connection)
  }

  letGo(connection: Held): void {
    if (this.#held.delete(connection)) this.#rest()
  }

  begin(): void {
    this.#calls++
    this.#work.begin()
  }

  end(): void {
    this.#calls--
    this.#work.end()
    this.#rest()
  }

  /** Closes the server's sessions here, and leaves those of other servers alone. */
  close(options?: { readonly deadline?: number }): Promise<void> {
    return this.#work.close(options)
  }

  /** Ends at once: the mount has drained already. */
  finish(): void {
    for (const connection of this.#held) connection.close()
    for (const session of this.#sessions) session.close()
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.runtime.dispatcher.releaseTimers()
    this.#work.finish()
  }

  #follow(): void {
    this.#unsubscribe ??= this.#subscribe((event) => {
      for (const session of this.#sessions) session.onChange(event)
      for (const listen of this.#listens) listen.onChange(event)
    })
  }

  #subscribe(changed: (event: ChangeEvent) => void): () => void {
    return this.runtime.bus.subscribe(CHANGES_TOPIC, (message) => {
      const event = toChangeEvent(message)
      if (event !== undefined) changed(event)
    })
  }

  #drop(session: Session): void {
    this.#sessions.delete(session)
    this.#left()
  }

  #left(): void {
    if (this.#sessions.size === 0 && this.#listens.size === 0) {
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
    }
    this.#rest()
  }

  #rest(): void {
    if (this.idle) this.onIdle?.()
  }

  /** Hears that neither a session nor a call is left. */
  onIdle: (() => void) | undefined
}

/** A request that wants its server. */
interface Wanted {
  readonly request: HttpRequest
  readonly caller: Caller
  readonly id?: RequestId | undefined
  /** The server of its session, where it has one. */
  readonly found?: ServedServer | undefined
}

/** The servers of one mount: a single one, or those that a selector has chosen and that are in use. */
export class ServedServers {
  /** Undefined where each session has a server of its own choosing. */
  readonly single: ServedServer | undefined
  readonly #select: ServerSelector | undefined
  readonly #clock: Clock
  readonly #inUse = new Map<ServerRuntime, ServedServer>()
  /** Whose server was chosen, by request. */
  readonly #assigned = new WeakMap<HttpRequest, ServedServer>()
  /** Set by the mount: the streams and calls are its own. */
  measure: Measure = () => NOTHING_HELD

  constructor(server: Servable | ServerSelector, clock: Clock) {
    this.#clock = clock
    if (typeof server === 'function') this.#select = server
    else this.single = new ServedServer(server.runtime, clock, (tenant) => this.measure(tenant))
  }

  /**
   * The server of a request that does not belong to a session yet; undefined where there is none for it.
   *
   * @throws `ERR_MCP_CLOSED` for one that is closed, and whatever the selector throws
   */
  choose(
    request: HttpRequest,
    { auth }: Caller,
  ): ServedServer | undefined | Promise<ServedServer | undefined> {
    if (this.single !== undefined) return this.single
    const chosen = this.#select?.(request, auth)
    return chosen instanceof Promise
      ? chosen.then((server) => this.#tenantOf(server))
      : this.#tenantOf(chosen)
  }

  /** Finds the server of a request, whose work it is until there is a reply. Refuses one that there is no server for. */
  serve(
    { request, caller, id, found }: Wanted,
    then: (tenant: ServedServer) => HttpReply | Promise<HttpReply>,
  ): HttpReply | Promise<HttpReply> {
    const go = (tenant: ServedServer | undefined): HttpReply | Promise<HttpReply> => {
      if (tenant === undefined) return refuse('noServer', { id })
      this.assign(request, tenant)
      return this.during(tenant, () => then(tenant))
    }
    const tenant = found ?? this.choose(request, caller)
    return tenant instanceof Promise ? tenant.then(go) : go(tenant)
  }

  /** Remembers which server a request belongs to, where it may be one of several. */
  assign(request: HttpRequest, tenant: ServedServer): void {
    if (this.single === undefined) this.#assigned.set(request, tenant)
  }

  /** The server that a request belongs to; undefined where none was chosen for it yet. */
  of(request: HttpRequest): ServedServer | undefined {
    return this.single ?? this.#assigned.get(request)
  }

  /** Counts a step as work of its server, and lets go of a server that nothing is left of. */
  during<T>(tenant: ServedServer, step: () => T | Promise<T>): T | Promise<T> {
    if (tenant === this.single) return step()
    tenant.begin()
    let result: T | Promise<T>
    try {
      result = step()
    } catch (error) {
      tenant.end()
      throw error
    }
    if (result instanceof Promise) return result.finally(() => tenant.end())
    tenant.end()
    return result
  }

  /** Lets go of all of them. */
  finish(): void {
    this.single?.finish()
    for (const tenant of this.#inUse.values()) tenant.finish()
    this.#inUse.clear()
  }

  #tenantOf(server: Servable | undefined): ServedServer | undefined {
    if (server === undefined) return undefined
    const { runtime } = server
    const before = this.#inUse.get(runtime)
    if (before?.closing === true) throw usageError('ERR_MCP_CLOSED', 'The server that was chosen is closing')
    if (before !== undefined) return before
    const tenant = new ServedServer(runtime, this.#clock, (measured) => this.measure(measured))
    runtime.attach(tenant)
    this.#inUse.set(runtime, tenant)
    tenant.onIdle = () => {
      // One that closes ends itself, when its time has come.
      if (tenant.closing || !tenant.idle) return
      this.#inUse.delete(runtime)
      tenant.finish()
    }
    void tenant.closed.then(() => {
      if (this.#inUse.get(runtime) === tenant) this.#inUse.delete(runtime)
    })
    return tenant
  }
}
