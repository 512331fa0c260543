import type {
  CallToolResult,
  Implementation,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '@jetway/core/protocol'
import { type Clock, systemClock } from '@jetway/core/stores'
import type { Client } from '../client.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { Emitter } from '../features/emitter.ts'
import type { ClientHandlers } from '../features/questions.ts'
import type { RequestOptions } from '../options.ts'
import { ResourceCache } from '../resource-cache/resource-cache.ts'
import type { Dial } from '../transport/client-transport.ts'
import { toError } from '../waiting.ts'
import { type ReconnectOptions, resolveReconnect } from './backoff.ts'
import { Connections } from './connections.ts'
import { unavailable, unknownServer } from './errors.ts'
import type { Emit, ManagerEvents, ManagerListener } from './events.ts'
import type { KeptList } from './kept-list.ts'
import type { ServerState } from './managed-server.ts'
import {
  type ClientManagerOptions,
  type ConnectReport,
  type FromServer,
  MANAGER_DEFAULTS,
  type ReadOptions,
  type ToolCall,
} from './options.ts'
import { RegisteredServer } from './registered-server.ts'
import { checkServerName } from './server-names.ts'
import { ToolBook } from './tool-book.ts'
import { type ToolFilter, toolTest } from './tool-filter.ts'
import { checkNameLength, type NamedTool } from './tool-names.ts'

/** How one server stands. */
export interface ServerStats {
  readonly server: string
  readonly state: ServerState
  /** Attempts to reconnect since a connection has lasted. */
  readonly attempts: number
  /** Requests without an answer. */
  readonly pending: number
}

/** Numbers of a manager. */
export interface ClientManagerStats {
  readonly servers: readonly ServerStats[]
  /** Resources that are kept, those that have expired too. */
  readonly cachedResources: number
}

let count = 0

/**
 * Many MCP servers at once, each by a name of the host's. One that fails disturbs no other; one that is lost is connected
 * again. Making a manager opens nothing; {@link closeAll} leaves no process, socket or timer.
 */
export class ClientManager {
  readonly #options: ClientManagerOptions
  readonly #clock: Clock
  readonly #reconnect: Required<ReconnectOptions>
  readonly #servers = new Map<string, RegisteredServer>()
  readonly #connections: Connections
  readonly #cache: ResourceCache | undefined
  /** A cache may be shared with managers that have other credentials for servers of the same names. */
  readonly #partition = `\u0000manager-${++count}`
  readonly #book: ToolBook
  readonly #events = new Emitter<ManagerEvents>((event, error) => {
    // A listener of errors that fails has nobody to tell.
    if (event !== 'mcp_error') this.#events.emit('mcp_error', { error })
  })
  #handlers: ClientHandlers
  #closing: Promise<void> | undefined

  /**
   * @param info what servers are told of the host
   * @throws RangeError for limits that are none
   */
  constructor(info: Implementation, options: ClientManagerOptions = {}) {
    const { clock = systemClock, client, connecting, handlers = {}, maxNameLength, resources } = options
    checkNameLength(maxNameLength)
    this.#options = options
    this.#clock = clock
    this.#handlers = handlers
    this.#reconnect = resolveReconnect(options.reconnect)
    this.#connections = new Connections({ info, client, connecting, clock, handlers: () => this.#handlers })
    this.#cache = resources === false ? undefined : (resources ?? new ResourceCache({ clock }))
    this.#book = new ToolBook({ sources: () => [...this.#servers.values()].filter(isThere), maxNameLength })
  }

  /** Calls a listener for each event from now on. Returns what stops it. */
  on<E extends keyof ManagerEvents>(event: E, listener: ManagerListener<E>): () => void {
    return this.#events.on(event, listener)
  }

  /**
   * Replaces what answers the questions of servers, at once and for all of them. A server that was told at its connecting
   * that nobody answers a kind of question learns of a new handler when it is connected next.
   */
  setHandlers(handlers: ClientHandlers): void {
    this.#handlers = handlers
  }

  /**
   * Connects many servers side by side: two processes and five others at a time. Never rejects; what fails hinders no
   * other, and leaves nothing behind.
   */
  async connectAll(
    servers: Readonly<Record<string, ServerConfig | Dial>>,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ConnectReport> {
    const all = Object.entries(servers).map(async ([server, target]) => {
      try {
        await this.connect(server, target, options)
        return undefined
      } catch (error) {
        return { server, error: toError(error) }
      }
    })
    const failed = await Promise.all(all)
    const errors = failed.filter((each) => each !== undefined)
    return { connected: all.length - errors.length, errors }
  }

  /**
   * Connects a server. Where the first attempt fails there is no other, and nothing is left of it.
   *
   * @param name of 1 to 128 printable characters, that no other server has
   * @param target its configuration; or what opens a transport, which is called again to reconnect
   * @throws TypeError for a name or a configuration that is none, and for a name that is taken
   * @throws ClientError `not-approved`, and what `Client.connect` throws
   */
  async connect(
    name: string,
    target: ServerConfig | Dial,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    checkServerName(name)
    signal?.throwIfAborted()
    if (this.#closing !== undefined) throw unavailable(name, 'cannot be connected while all are being closed')
    if (this.#servers.has(name)) throw new TypeError(`There is a server ${name} already: close it first`)
    const { maxServers = MANAGER_DEFAULTS.maxServers } = this.#options
    if (this.#servers.size >= maxServers) throw new RangeError(`There are ${maxServers} servers already`)
    const server = this.#register(name, target)
    this.#servers.set(name, server)
    try {
      await server.connect(signal)
    } catch (error) {
      if (this.#servers.get(name) === server) this.#servers.delete(name)
      throw error
    }
  }

  #register(name: string, target: ServerConfig | Dial): RegisteredServer {
    const { approve, filters, waitMs, listTimeoutMs, random, spawn } = this.#options
    const filter: ToolFilter | undefined =
      filters !== undefined && Object.hasOwn(filters, name) ? filters[name] : undefined
    return new RegisteredServer({
      name,
      target,
      spawn,
      approve,
      allows: toolTest(filter),
      connections: this.#connections,
      clock: this.#clock,
      random: random ?? Math.random,
      reconnect: this.#reconnect,
      waitMs: waitMs ?? MANAGER_DEFAULTS.waitMs,
      listTimeoutMs: listTimeoutMs ?? MANAGER_DEFAULTS.listTimeoutMs,
      emit: this.#emit,
      forget: (uri) => this.#forget(name, uri),
      removed: (reason) => this.#removed(name, reason),
    })
  }

  readonly #emit: Emit = (event, value) => this.#events.emit(event, value)

  #removed(name: string, reason: string): void {
    this.#servers.delete(name)
    this.#cache?.invalidateServer(name)
    this.#emit('mcp_server_removed', { server: name, reason })
    const { onServerRemoved } = this.#options
    if (onServerRemoved === undefined) return
    Promise.resolve()
      .then(() => onServerRemoved(name))
      .catch((error: unknown) => this.#emit('mcp_error', { server: name, error: toError(error) }))
  }

  /**
   * Closes a server, also one that is being connected or reconnected: what waits for it is rejected, and nothing of it is
   * left. False where there is no such server.
   */
  async close(name: string): Promise<boolean> {
    const server = this.#servers.get(name)
    if (server === undefined) return false
    await server.close()
    if (this.#servers.get(name) === server) this.#servers.delete(name)
    this.#cache?.invalidateServer(name)
    return true
  }

  /** Closes all servers. No event comes once it has resolved. The manager can be used again then. */
  closeAll(): Promise<void> {
    return (this.#closing ??= this.#closeAll().finally(() => {
      this.#closing = undefined
    }))
  }

  async #closeAll(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((name) => this.close(name)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closeAll()
  }

  /**
   * Opens a new connection to a server at once, in place of the one that there is. Resolves when it is there.
   *
   * @throws ClientError `unknown-server`, `unavailable` where it was given up
   */
  async reconnect(name: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#get(name).reconnect(signal)
  }

  /**
   * The client of a server that is connected now. After it was reconnected there is another one. Its `callTool` goes to the
   * server as it is: neither `approve` nor `filters` stand before it.
   */
  get(name: string): Client | undefined {
    return this.#servers.get(name)?.client
  }

  /** The servers that are connected now. */
  names(): readonly string[] {
    return [...this.#servers.values()].filter(({ connected }) => connected).map(({ name }) => name)
  }

  stats(): ClientManagerStats {
    return {
      servers: [...this.#servers.values()].map(({ name, state, attempts, client }) => ({
        server: name,
        state,
        attempts,
        pending: client?.stats().pending ?? 0,
      })),
      cachedResources: this.#cache?.size ?? 0,
    }
  }

  /**
   * The tools of all servers that may be used, with their full names. Lists that are known are asked for again only after
   * the server has said that they have changed; where that fails the last one stays, and `mcp_list_failed` tells.
   */
  tools(): Promise<readonly NamedTool[]> {
    return this.#book.all()
  }

  prompts(): Promise<readonly FromServer<Prompt>[]> {
    return this.#pairs(({ prompts }) => prompts)
  }

  resources(): Promise<readonly FromServer<Resource>[]> {
    return this.#pairs(({ resources }) => resources)
  }

  resourceTemplates(): Promise<readonly FromServer<ResourceTemplate>[]> {
    return this.#pairs(({ resourceTemplates }) => resourceTemplates)
  }

  async #pairs<Item>(
    listOf: (catalog: RegisteredServer['catalog']) => KeptList<Item>,
  ): Promise<readonly FromServer<Item>[]> {
    const servers = [...this.#servers.values()].filter(isThere)
    await Promise.all(
      servers.filter(({ connected }) => connected).map(({ catalog }) => listOf(catalog).refresh()),
    )
    return servers.flatMap(({ name, catalog }) =>
      (listOf(catalog).items ?? []).map((item) => ({ server: name, item })),
    )
  }

  /**
   * Calls a tool by its full name, or by its server and its own name. Waits for a server that is being reconnected. A call
   * that certainly has not reached its server is sent once more; one that may have run never is.
   *
   * @throws ClientError `unknown-server`, `unknown-tool`, `not-approved`, `unavailable`
   * @throws what `Client.callTool` throws
   */
  callTool(
    fullName: string,
    args?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<CallToolResult>
  callTool(call: ToolCall, options?: RequestOptions): Promise<CallToolResult>
  async callTool(
    called: string | ToolCall,
    second: Readonly<Record<string, unknown>> | RequestOptions = {},
    third: RequestOptions = {},
  ): Promise<CallToolResult> {
    if (typeof called !== 'string') return this.#call(called, second)
    const found = await this.#book.find(called)
    return this.#call({ ...found, args: second as Readonly<Record<string, unknown>> }, third)
  }

  async #call({ server: name, tool, args = {} }: ToolCall, options: RequestOptions): Promise<CallToolResult> {
    const server = this.#get(name)
    await this.#book.check(server, tool)
    return server.callTool(tool, args, options)
  }

  /**
   * Reads a resource, from what is kept or else from its server. Callers that want the same at the same time share one
   * request, with the limits of the first. What is kept is given even where the signal has aborted.
   *
   * @throws ClientError `unknown-server`, `unavailable`; what `Client.readResource` throws
   */
  async readResource(name: string, uri: string, options: ReadOptions = {}): Promise<ReadResourceResult> {
    const server = this.#get(name)
    const { signal, ...limits } = options
    const read = (shared: AbortSignal | undefined): Promise<ReadResourceResult> =>
      server.run((client, how) => client.readResource(uri, how), {
        ...limits,
        ...(shared !== undefined && { signal: shared }),
      })
    if (this.#cache === undefined) return read(signal)
    const partition = this.#options.partition?.(name) ?? this.#partition
    return this.#cache.read({ server: name, uri, partition }, read, { signal })
  }

  /** Has the next reading of a resource ask its server. */
  invalidateResource(server: string, uri: string): void {
    this.#cache?.invalidate({ server, uri })
  }

  /** Has the next reading of each of a server's resources ask it. */
  invalidateServer(server: string): void {
    this.#cache?.invalidateServer(server)
  }

  /** A server that was told to change may name a part of what is kept. */
  #forget(server: string, uri: string | undefined): void {
    if (uri === undefined) this.#cache?.invalidateServer(server)
    else this.#cache?.invalidateUpdated({ server, uri })
  }

  /** @throws ClientError `unknown-server` */
  #get(name: string): RegisteredServer {
    const server = this.#servers.get(name)
    if (server === undefined) throw unknownServer(name, [...this.#servers.keys()])
    return server
  }
}

/** Before it is connected for the first time a server has nothing to list. */
const isThere = ({ state }: RegisteredServer): boolean => state !== 'connecting'
