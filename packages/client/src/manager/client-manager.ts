import type {
  CallToolResult,
  Implementation,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  JsonObject,
} from '@jetway/core/protocol'
import type { Client } from '../client/client.ts'
import type { RequestOptions } from '../options/options.ts'
import type { ServerConfig } from '../config/server-config.ts'
import type { ClientHandlers } from '../options/handlers.ts'
import { ResourceCache } from '../resource-cache/resource-cache.ts'
import type { TransportFactory } from '../transport/client-transport.ts'
import { Emitter } from '../util/emitter.ts'
import { toError } from '../util/promises.ts'
import type { CachedList } from './cached-list.ts'
import { unavailable, unknownServer } from './errors.ts'
import type { ManagerEvents, ManagerListener } from './events.ts'
import { ManagedServer, type ServerLists } from './managed-server.ts'
import { ClientOpener } from './open-client.ts'
import {
  type ClientManagerOptions,
  type ConnectReport,
  type ReadOptions,
  type ResolvedManagerOptions,
  resolveManagerOptions,
  type ServerItem,
  type ToolCall,
} from './options.ts'
import type { ServerState } from './server-connection.ts'
import { ToolDirectory } from './tool-directory.ts'
import type { NamedTool } from './tool-names.ts'

/** A snapshot of one server's statistics. */
export interface ServerStats {
  readonly server: string
  readonly state: ServerState
  /** The number of reconnection attempts since the last connection that lasted for `stableMs`. */
  readonly attempts: number
  /** The number of requests that have not received a response. */
  readonly pending: number
}

/** A snapshot of a `ClientManager`'s statistics. */
export interface ClientManagerStats {
  readonly servers: readonly ServerStats[]
  /** The number of cached resources, including expired ones. */
  readonly cachedResources: number
}

const MAX_NAME_LENGTH = 128
let count = 0

/**
 * Connects to many servers, and reconnects them. A server that fails does not affect the others. The
 * constructor opens no connections. {@link closeAll} leaves no processes, sockets or timers behind.
 */
export class ClientManager {
  readonly #options: ResolvedManagerOptions
  readonly #opener: ClientOpener
  readonly #servers = new Map<string, ManagedServer>()
  readonly #cache: ResourceCache | undefined
  /** The manager's own partition, because managers with other credentials may share the cache. */
  readonly #partition = `\u0000manager-${++count}`
  readonly #directory: ToolDirectory
  readonly #events = new Emitter<ManagerEvents>((event, error) => {
    if (event !== 'error') this.#events.emit('error', { error })
  })
  #handlers: ClientHandlers
  #closing: Promise<void> | undefined

  /**
   * @param info - the host's name and version, sent to the servers
   * @throws RangeError for an invalid limit
   */
  constructor(info: Implementation, options: ClientManagerOptions = {}) {
    this.#options = resolveManagerOptions(options)
    const { handlers, resources, clock, maxNameLength } = this.#options
    this.#handlers = handlers
    this.#opener = new ClientOpener(info, this.#options, () => this.#handlers)
    this.#cache = resources === false ? undefined : (resources ?? new ResourceCache({ clock }))
    this.#directory = new ToolDirectory(() => this.#known(), maxNameLength)
  }

  /** Adds a listener, and returns a function that removes it. */
  on<E extends keyof ManagerEvents>(event: E, listener: ManagerListener<E>): () => void {
    return this.#events.on(event, listener)
  }

  /** Replaces all handlers. New capabilities are declared when each server is next connected. */
  setHandlers(handlers: ClientHandlers): void {
    this.#handlers = handlers
  }

  /** Connects servers concurrently: see `maxConnecting`. Never rejects. */
  async connectAll(
    servers: Readonly<Record<string, ServerConfig | TransportFactory>>,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ConnectReport> {
    const all = Object.entries(servers)
    const failures = await Promise.all(
      all.map(([server, target]) =>
        this.connect(server, target, options).then(
          () => [],
          (error: unknown) => [{ server, error: toError(error) }],
        ),
      ),
    )
    const errors = failures.flat()
    return { connected: all.length - errors.length, errors }
  }

  /**
   * Connects a server. After a failure, the name can be used again.
   *
   * @param name - 1 to 128 printable characters
   * @param target - a configuration, or a function that creates a transport and is called again for each
   * reconnect
   * @throws TypeError for an invalid name or configuration, and for a name in use
   * @throws ClientError `not-approved`, and the errors of `Client.connect`
   */
  async connect(
    name: string,
    target: ServerConfig | TransportFactory,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    checkServerName(name)
    signal?.throwIfAborted()
    if (this.#closing !== undefined) throw unavailable(name, 'cannot be connected: the manager is closing')
    if (this.#servers.has(name)) throw new TypeError(`There is a server ${name} already: close it first`)
    const { maxServers } = this.#options
    if (this.#servers.size >= maxServers) throw new RangeError(`There are ${maxServers} servers already`)
    const server = new ManagedServer({
      name,
      target,
      options: this.#options,
      opener: this.#opener,
      emit: (event, value) => this.#events.emit(event, value),
      invalidate: (uri) => {
        if (uri === undefined) this.#cache?.invalidateServer(name)
        // The changed URI may identify a part of a cached resource.
        else this.#cache?.invalidateUpdated({ server: name, uri })
      },
      onRemoved: (reason) => this.#removed(name, reason),
    })
    this.#servers.set(name, server)
    try {
      await server.connection.connect(signal)
    } catch (error) {
      if (this.#servers.get(name) === server) this.#servers.delete(name)
      throw error
    }
  }

  #removed(name: string, reason: string): void {
    this.#servers.delete(name)
    this.#cache?.invalidateServer(name)
    this.#events.emit('serverRemoved', { server: name, reason })
  }

  /** Closes a server in any state. Its pending requests reject. Resolves to false if there is no such server. */
  async close(name: string): Promise<boolean> {
    const server = this.#servers.get(name)
    if (server === undefined) return false
    await server.connection.close()
    if (this.#servers.get(name) === server) this.#servers.delete(name)
    this.#cache?.invalidateServer(name)
    return true
  }

  /**
   * Closes all servers. No event is emitted after the promise has resolved. The manager can be used again.
   */
  closeAll(): Promise<void> {
    const closeEach = async (): Promise<void> => {
      await Promise.all([...this.#servers.keys()].map((name) => this.close(name)))
    }
    return (this.#closing ??= closeEach().finally(() => (this.#closing = undefined)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closeAll()
  }

  /**
   * Reconnects to a server, and resolves when the new connection is open.
   * @throws ClientError `unknown-server`, `unavailable`
   */
  async reconnect(name: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#get(name).connection.reconnect(signal)
  }

  /**
   * Returns a server's client. The client is valid until the next reconnect. Its `callTool` ignores `approve`
   * and `filters`.
   */
  get(name: string): Client | undefined {
    return this.#servers.get(name)?.connection.client
  }

  /** Returns the names of the connected servers. */
  names(): readonly string[] {
    return [...this.#servers.values()].filter(({ connected }) => connected).map(({ name }) => name)
  }

  stats(): ClientManagerStats {
    return {
      servers: [...this.#servers.values()].map(({ name, connection: { state, attempts, client } }) => ({
        server: name,
        state,
        attempts,
        pending: client?.stats().pending ?? 0,
      })),
      cachedResources: this.#cache?.size ?? 0,
    }
  }

  /**
   * Returns all servers' tools that the filters allow. A list is fetched again only after it has changed. If
   * fetching fails, the previous list is used, and `listFailed` is emitted.
   */
  tools(): Promise<readonly NamedTool[]> {
    return this.#directory.all()
  }

  prompts(): Promise<readonly ServerItem<Prompt>[]> {
    return this.#items(({ prompts }) => prompts)
  }

  resources(): Promise<readonly ServerItem<Resource>[]> {
    return this.#items(({ resources }) => resources)
  }

  resourceTemplates(): Promise<readonly ServerItem<ResourceTemplate>[]> {
    return this.#items(({ resourceTemplates }) => resourceTemplates)
  }

  async #items<Item>(of: (lists: ServerLists) => CachedList<Item>): Promise<readonly ServerItem<Item>[]> {
    const servers = this.#known()
    await Promise.all(servers.filter(({ connected }) => connected).map(({ lists }) => of(lists).refresh()))
    return servers.flatMap(({ name, lists }) =>
      (of(lists).items ?? []).map((item) => ({ server: name, item })),
    )
  }

  /**
   * Calls a tool by its full name, or by its server and its own name. If the server is being reconnected, the
   * call waits. If it is certain that the call was not processed, it is repeated once. A call that may have
   * been processed is not repeated.
   *
   * @throws ClientError `unknown-server`, `unknown-tool`, `not-approved`, `unavailable`
   * @throws the errors of `Client.callTool`
   */
  callTool(fullName: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  callTool(call: ToolCall, options?: RequestOptions): Promise<CallToolResult>
  async callTool(
    called: string | ToolCall,
    second: JsonObject | RequestOptions = {},
    third: RequestOptions = {},
  ): Promise<CallToolResult> {
    if (typeof called !== 'string') return this.#call(called, second)
    const found = await this.#directory.find(called)
    return this.#call({ ...found, args: second as JsonObject }, third)
  }

  async #call({ server: name, tool, args = {} }: ToolCall, options: RequestOptions): Promise<CallToolResult> {
    const server = this.#get(name)
    await this.#directory.check(server, tool)
    return server.callTool(tool, args, options)
  }

  /**
   * Reads a resource from the cache, or from its server. Concurrent callers share one request, with the
   * timeouts of the first caller. A cached resource is returned even if the signal has aborted.
   *
   * @throws ClientError `unknown-server`, `unavailable`; the errors of `Client.readResource`
   */
  async readResource(name: string, uri: string, options: ReadOptions = {}): Promise<ReadResourceResult> {
    const { connection } = this.#get(name)
    const { signal, ...limits } = options
    const read = (shared: AbortSignal | undefined): Promise<ReadResourceResult> =>
      connection.run((client, how) => client.readResource(uri, how), {
        ...limits,
        ...(shared !== undefined && { signal: shared }),
      })
    if (this.#cache === undefined) return read(signal)
    const partition = this.#options.partition?.(name) ?? this.#partition
    return this.#cache.read({ server: name, uri, partition }, read, { signal })
  }

  /** Removes a resource from the cache. */
  invalidateResource(server: string, uri: string): void {
    this.#cache?.invalidate({ server, uri })
  }

  /** Removes all of a server's resources from the cache. */
  invalidateServer(server: string): void {
    this.#cache?.invalidateServer(server)
  }

  /** Returns the servers that have been connected at least once. Other servers have no lists yet. */
  #known(): readonly ManagedServer[] {
    return [...this.#servers.values()].filter(({ connection }) => connection.state !== 'connecting')
  }

  /** Returns a server. @throws ClientError `unknown-server` */
  #get(name: string): ManagedServer {
    const server = this.#servers.get(name)
    if (server === undefined) throw unknownServer(name, [...this.#servers.keys()])
    return server
  }
}

/** Checks a server's name, because it appears in tool names, messages and logs. */
function checkServerName(name: string): void {
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME_LENGTH)
    throw new TypeError(`A server's name is a string of 1 to ${MAX_NAME_LENGTH} characters`)
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name))
    throw new TypeError("A server's name must have printable characters only")
}
