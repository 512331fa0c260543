import {
  type CallToolResult,
  ErrorCode,
  type JsonObject,
  McpError,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Tool,
} from '@jetway/core/protocol'
import type { Client } from '../client/client.ts'
import { DEFAULTS, type RequestOptions } from '../options/options.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { ClientError } from '../errors.ts'
import type { TransportFactory } from '../transport/client-transport.ts'
import { abortingAfter, toError } from '../util/promises.ts'
import { weightOf } from '../util/weight.ts'
import { Approvals } from './approvals.ts'
import { CachedList } from './cached-list.ts'
import { shown } from './errors.ts'
import type { Emit, ListName } from './events.ts'
import { type ClientOpener, toTransportFactory } from './open-client.ts'
import { ServerConnection, type ServerConnectionOptions } from './server-connection.ts'
import { type ToolTest, toolTest } from './tool-filter.ts'

export interface ManagedServerOptions extends Pick<
  ServerConnectionOptions,
  'name' | 'options' | 'emit' | 'onRemoved'
> {
  readonly target: ServerConfig | TransportFactory
  readonly opener: ClientOpener
  /** Called when all cached resources, or only the resource with this URI, are out of date. */
  readonly invalidate: (uri?: string) => void
}

export interface ServerLists {
  readonly tools: CachedList<Tool>
  readonly prompts: CachedList<Prompt>
  readonly resources: CachedList<Resource>
  readonly resourceTemplates: CachedList<ResourceTemplate>
}

/** One server with its lists, and with the host's approvals for it. */
export class ManagedServer {
  readonly name: string
  readonly allows: ToolTest
  readonly connection: ServerConnection
  readonly lists: ServerLists
  readonly approvals: Approvals
  readonly #server: ManagedServerOptions
  /** The sizes of the lists, in bytes. */
  readonly #weights = new Map<ListName, number>()
  #factory: Promise<TransportFactory> | undefined

  constructor(server: ManagedServerOptions) {
    const { name, options, invalidate } = server
    const { filters, approve } = options
    this.name = name
    this.allows = toolTest(Object.hasOwn(filters, name) ? filters[name] : undefined)
    this.#server = server
    this.lists = {
      tools: this.#list('tools', (client, how) => client.listTools(how)),
      prompts: this.#list('prompts', (client, how) => client.listPrompts(how)),
      resources: this.#list('resources', (client, how) => client.listResources(how)),
      resourceTemplates: this.#list('resourceTemplates', (client, how) => client.listResourceTemplates(how)),
    }
    this.connection = new ServerConnection({
      ...server,
      emit: this.#emit,
      open: (signal) => this.#open(signal),
      onOpen: () => {
        for (const list of Object.values(this.lists)) list.invalidate()
        invalidate()
      },
    })
    this.approvals = new Approvals({
      server: name,
      approve,
      life: this.connection.life,
      onError: (error) => this.#emit('error', { server: name, error }),
    })
  }

  get connected(): boolean {
    return this.connection.client !== undefined
  }

  async callTool(tool: string, args: JsonObject, options: RequestOptions): Promise<CallToolResult> {
    const approval = { kind: 'call', detail: { tool, args } } as const
    await this.approvals.require(approval, `Calling the tool ${tool}`, options.signal)
    return this.connection.run((client, how) => client.callTool(tool, args, how), options)
  }

  /** Emits an event unless the server is closed. */
  readonly #emit: Emit = (event, value) => {
    if (!this.connection.life.aborted) this.#server.emit(event, value)
  }

  async #open(signal: AbortSignal): Promise<Client> {
    const { name: server, target, opener, options } = this.#server
    const stderr = (line: string): void => this.#emit('stderr', { server, line })
    this.#factory ??= toTransportFactory(target, { stderr, spawn: options.spawn })
    return opener.open(this, await this.#factory, (client) => this.#listen(client), signal)
  }

  #list<Item>(list: ListName, fetch: (client: Client, options: RequestOptions) => Promise<readonly Item[]>) {
    const { clock, listTimeoutMs: ms } = this.#server.options
    const server = this.name
    const late = (): Error => new ClientError('timeout', `The whole list did not arrive within ${ms} ms`)
    return new CachedList({
      fetch: () =>
        abortingAfter({ ms, clock, late }, (signal) => this.connection.run(fetch, { signal }))
          .catch((error: unknown) => {
            if (hasNoList(error)) return []
            throw error
          })
          .then((items) => {
            this.#limit(list, items)
            return items
          }),
      onError: (error) => this.#emit('listFailed', { server, list, error: toError(error) }),
      mayHaveChanged: () =>
        this.connection.client?.missesChanges(list === 'resourceTemplates' ? 'resources' : list) === true,
    })
  }

  /** Limits the combined size of all lists. @throws ClientError `endless-list` */
  #limit(list: ListName, items: readonly unknown[]): void {
    const { maxListBytes = DEFAULTS.maxListBytes } = this.#server.options.client ?? {}
    const weights = new Map(this.#weights).set(list, weightOf(items))
    if ([...weights.values()].reduce((sum, weight) => sum + weight) > maxListBytes)
      throw new ClientError(
        'endless-list',
        `The lists of the server ${shown(this.name)} have more than ${maxListBytes} bytes together`,
      )
    this.#weights.set(list, weights.get(list) ?? 0)
  }

  #listen(client: Client): void {
    const { invalidate, name: server } = this.#server
    const changed = (...names: readonly ListName[]): void => {
      for (const list of names) {
        this.lists[list].invalidate()
        this.#emit('listChanged', { server, list })
      }
    }
    client.on('toolsChanged', () => {
      // A server whose tools have changed has often been restarted or updated.
      invalidate()
      changed('tools')
    })
    client.on('promptsChanged', () => changed('prompts'))
    client.on('resourcesChanged', () => {
      invalidate()
      changed('resources', 'resourceTemplates')
    })
    client.on('resourceUpdated', ({ uri }) => {
      invalidate(uri)
      this.#emit('resourceUpdated', { server, uri })
    })
    client.on('changesMissed', () => {
      invalidate()
      const fetched = Object.keys(this.lists) as ListName[]
      changed(...fetched.filter((list) => this.lists[list].items !== undefined))
    })
    client.on('log', (log) => this.#emit('log', { ...log, server }))
    client.on('error', (error) => this.#emit('error', { server, error }))
    client.on('close', () => this.connection.lost(client))
  }
}

/**
 * Returns whether the server declares a capability but does not support this list. The list is requested again
 * only after a change.
 */
const hasNoList = (error: unknown): boolean =>
  (error instanceof ClientError && error.code === 'not-supported') ||
  (error instanceof McpError && error.code === ErrorCode.MethodNotFound)
