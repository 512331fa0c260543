import type { CallToolResult, Tool } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import type { Client } from '../client.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { ClientError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import type { Spawn } from '../stdio/options.ts'
import type { Dial } from '../transport/client-transport.ts'
import { toError } from '../waiting.ts'
import { type Approve, Approvals } from './approvals.ts'
import type { ReconnectOptions } from './backoff.ts'
import { Catalog } from './catalog.ts'
import { type Connections, dialOf } from './connections.ts'
import type { Emit, ListName } from './events.ts'
import type { KeptList } from './kept-list.ts'
import { ManagedServer, type ServerState } from './managed-server.ts'
import type { ToolSource } from './tool-book.ts'
import type { ToolTest } from './tool-filter.ts'

export interface RegisteredServerOptions {
  readonly name: string
  readonly target: ServerConfig | Dial
  readonly spawn: Spawn | undefined
  readonly approve: Approve | undefined
  readonly allows: ToolTest
  readonly connections: Connections
  readonly clock: Clock
  readonly random: () => number
  readonly reconnect: Required<ReconnectOptions>
  readonly waitMs: number
  readonly listTimeoutMs: number
  readonly emit: Emit
  /** What was read of a resource is out of date; without an address, of all. */
  readonly forget: (uri?: string) => void
  readonly removed: (reason: string) => void
}

const LIST_NAMES = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const

/** One server, with what it offers, and who is asked about it. */
export class RegisteredServer implements ToolSource {
  readonly name: string
  readonly allows: ToolTest
  readonly catalog: Catalog
  readonly #options: RegisteredServerOptions
  readonly #server: ManagedServer
  readonly #approvals: Approvals
  #dial: Promise<Dial> | undefined

  constructor(options: RegisteredServerOptions) {
    const { name, clock, random, reconnect, waitMs, forget, removed, approve } = options
    this.name = name
    this.allows = options.allows
    this.#options = options
    this.catalog = new Catalog({
      run: (ask) => this.#list(ask),
      failed: (list, error) => this.#emit('mcp_list_failed', { server: name, list, error: toError(error) }),
    })
    this.#server = new ManagedServer({
      name,
      clock,
      random,
      reconnect,
      waitMs,
      removed,
      emit: (event, value) => this.#emit(event, value),
      open: (signal) => this.#open(signal),
      opened: () => {
        this.catalog.outdateAll()
        forget()
      },
    })
    this.#approvals = new Approvals({
      server: name,
      approve,
      life: this.#server.life,
      onError: (error) => this.#emit('mcp_error', { server: name, error }),
    })
  }

  get state(): ServerState {
    return this.#server.state
  }

  get client(): Client | undefined {
    return this.#server.client
  }

  get connected(): boolean {
    return this.#server.client !== undefined
  }

  get attempts(): number {
    return this.#server.attempts
  }

  get tools(): KeptList<Tool> {
    return this.catalog.tools
  }

  connect(signal: AbortSignal | undefined): Promise<void> {
    return this.#server.connect(signal)
  }

  reconnect(signal: AbortSignal | undefined): Promise<void> {
    return this.#server.reconnect(signal)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  run<T>(ask: (client: Client, options: RequestOptions) => Promise<T>, options: RequestOptions): Promise<T> {
    return this.#server.run(ask, options)
  }

  async callTool(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: RequestOptions,
  ): Promise<CallToolResult> {
    const approval = { kind: 'call', detail: { tool, args } } as const
    await this.#approvals.need(approval, `Calling the tool ${tool}`, options.signal)
    return this.run((client, how) => client.callTool(tool, args, how), options)
  }

  /** Nothing is told of a server that is closed. */
  readonly #emit: Emit = (event, value) => {
    if (!this.#server.life.aborted) this.#options.emit(event, value)
  }

  async #open(signal: AbortSignal): Promise<Client> {
    const { name, target, connections, spawn } = this.#options
    const stderr = (line: string): void => this.#emit('mcp_stderr', { server: name, line })
    this.#dial ??= dialOf(target, { stderr, spawn })
    const dial = await this.#dial
    const listen = (client: Client): void => this.#listen(client)
    return connections.open({ name, dial, approvals: this.#approvals, listen }, signal)
  }

  async #list<T>(ask: (client: Client, options: RequestOptions) => Promise<T>): Promise<T> {
    const { clock, listTimeoutMs } = this.#options
    const late = new AbortController()
    const timer = clock.setTimeout(
      () => late.abort(new ClientError('timeout', `No whole list within ${listTimeoutMs} ms`)),
      listTimeoutMs,
    )
    try {
      return await this.run(ask, { signal: late.signal })
    } finally {
      clock.clearTimeout(timer)
    }
  }

  #listen(client: Client): void {
    const { forget } = this.#options
    const server = this.name
    const { catalog } = this
    const changed = (...lists: readonly ListName[]): void => {
      for (const list of lists) {
        catalog[list].outdate()
        this.#emit('mcp_list_changed', { server, list })
      }
    }
    // A server whose tools are other ones was often started anew, or updated.
    client.on('toolsChanged', () => {
      forget()
      changed('tools')
    })
    client.on('promptsChanged', () => changed('prompts'))
    client.on('resourcesChanged', () => {
      forget()
      changed('resources', 'resourceTemplates')
    })
    client.on('resourceUpdated', ({ uri }) => {
      forget(uri)
      this.#emit('mcp_resource_updated', { server, uri })
    })
    client.on('gap', () => {
      forget()
      // What was never asked for is nobody's old list.
      changed(...LIST_NAMES.filter((list) => catalog[list].items !== undefined))
    })
    client.on('log', (log) => this.#emit('mcp_log', { ...log, server }))
    client.on('error', (error) => this.#emit('mcp_error', { server, error }))
    client.on('close', () => this.#server.lost(client))
  }
}
