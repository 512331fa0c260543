import {
  type CallToolResult,
  type CompleteResult,
  type GetPromptResult,
  type Implementation,
  type JsonObject,
  type LogLevel,
  Method,
  Notification,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
  type RevisionDate,
  type Tool,
} from '@jetway/core/protocol'
import { type IgnoredMessages, NOTHING_IGNORED } from '../connection/connection.ts'
import type { ServerDescription } from '../dialect/dialect.ts'
import type { ConnectTarget, TransportClose } from '../transport/client-transport.ts'
import type { ClientEvents, ClientListener } from './events.ts'
import { type ConnectCallOptions, Lifecycle } from './lifecycle.ts'
import { Lists, type Page, PROMPTS, RESOURCES, TEMPLATES, TOOLS } from './lists.ts'
import {
  type ClientOptions,
  type RequestOptions,
  type RequestTimeouts,
  type ResolvedOptions,
  resolveOptions,
} from '../options/options.ts'
import { RequestSender } from './request-sender.ts'
import { type CacheHints, readCompletion, readPrompt, readResource } from './results.ts'
import { type SavedSession, savedSession } from './saved-session.ts'
import { type ClientTask, Tasks } from './tasks.ts'
import { ToolCalls } from './tool-calls.ts'
import type { ToolArgs, ToolOutput, TypedTool, TypedToolResult } from './typed-tool.ts'

/** The server's description of itself, and the negotiated revision. */
export interface ServerDetails extends ServerDescription {
  readonly protocolVersion: RevisionDate
}

/** The target of {@link Client.complete}: a prompt's argument, or a resource template's variable. */
export type CompletionRef =
  | { readonly prompt: string; readonly argument: string }
  | { readonly template: string; readonly argument: string }

/** A snapshot of a client's statistics. */
export interface ClientStats {
  /** The number of requests that have not received a response. */
  readonly pending: number
  readonly ignored: IgnoredMessages
}

/**
 * A client for one MCP server, of any revision. The constructor does not open a connection. Errors from the
 * server are `McpError`s, other failures are `ClientError`s, and a tool that fails returns a result with
 * `isError`.
 */
export class Client {
  readonly #options: ResolvedOptions
  readonly #lifecycle: Lifecycle
  readonly #requests: RequestSender
  readonly #lists: Lists
  readonly #tasks: Tasks
  readonly #toolCalls: ToolCalls

  constructor(info: Implementation, options: ClientOptions = {}) {
    this.#options = resolveOptions(options)
    this.#lifecycle = new Lifecycle(info, this.#options)
    this.#requests = new RequestSender(this.#lifecycle.input, () => this.#lifecycle.connected())
    this.#lists = new Lists(this.#requests)
    this.#tasks = new Tasks(this.#requests)
    this.#toolCalls = new ToolCalls(this.#requests, this.#lists, this.#tasks)
  }

  /** The `name` option. */
  get name(): string | undefined {
    return this.#options.name
  }

  /** The server's description; undefined until {@link connect} has resolved. */
  get server(): ServerDetails | undefined {
    const { dialect } = this.#lifecycle
    return dialect && { ...dialect.server, protocolVersion: dialect.revision.version }
  }

  /**
   * The HTTP session, which a later client can resume. Undefined if there is none. Read it after the last
   * request. Set the transport's option `endSession: false`, so that closing the client does not end the
   * session.
   */
  get session(): SavedSession | undefined {
    const { dialect } = this.#lifecycle
    return dialect && savedSession(dialect)
  }

  /**
   * Whether the connection is open, as far as the client knows. Over HTTP, the end of a connection may not be
   * detected until the next request.
   */
  get isAlive(): boolean {
    const connection = this.#lifecycle.dialect?.connection
    return connection !== undefined && connection.closed === undefined && connection.transport.alive !== false
  }

  /** A promise that resolves with the reason when the connection has ended. */
  get closed(): Promise<TransportClose> {
    return this.#lifecycle.closed
  }

  stats(): ClientStats {
    const { connection } = this.#lifecycle
    return { pending: connection?.pending ?? 0, ignored: { ...(connection?.ignored ?? NOTHING_IGNORED) } }
  }

  /**
   * Connects and negotiates a revision. After a failure, no connection stays open, and `connect` can be
   * called again. A client can connect successfully only once.
   *
   * @param target - a transport, or a function that creates one. The function may be called twice, for
   * servers that close the connection when they receive `server/discover`
   * @throws UnsupportedRevisionError, ConnectionClosedError, ClientError `timeout`, and the transport's
   * errors
   */
  async connect(target: ConnectTarget, options: ConnectCallOptions = {}): Promise<this> {
    await this.#lifecycle.connect(target, options)
    return this
  }

  /** Closes the connection. Pending requests reject with `ConnectionClosedError`. Can be called again. */
  close(): Promise<void> {
    return this.#lifecycle.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Adds a listener, and returns a function that removes it. To avoid missing events, add listeners before
   * {@link connect}.
   */
  on<E extends keyof ClientEvents>(event: E, listener: ClientListener<E>): () => void {
    return this.#lifecycle.on(event, listener)
  }

  /**
   * Whether a list may change without an event even though the server has declared list changes, because the
   * server has not accepted a subscription to them. If so, fetch the list again whenever you use it.
   */
  missesChanges(list: 'tools' | 'prompts' | 'resources'): boolean {
    return this.#lifecycle.dialect?.subscriptions.missesChanges?.(list) ?? false
  }

  /** Sends any request, and resolves to its unchecked result. @throws McpError, ClientError, and the signal's reason */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#requests.send(method, params ?? {}, options)
  }

  /** Sends any notification. @throws RequestTimeoutError if the server does not accept it within `timeoutMs` */
  async notify(method: string, params?: JsonObject): Promise<void> {
    const { timeoutMs } = this.#options
    await this.#requests.dialect.connection.notify(method, params, { timeoutMs })
  }

  /** Sends `ping`, or `server/discover` in revisions without `ping`. */
  async ping(options?: RequestOptions): Promise<void> {
    const { methods } = this.#requests.dialect.revision
    await this.#requests.send(methods.has(Method.Ping) ? Method.Ping : Method.Discover, {}, options)
  }

  /** Fetches all pages. @throws ClientError `endless-list` beyond `maxPages`, `maxItems` or `maxListBytes` */
  listTools(options?: RequestOptions): Promise<readonly Tool[]> {
    return this.#lists.all(TOOLS, options)
  }

  /** Yields tools as the pages arrive. */
  tools(options?: RequestOptions): AsyncGenerator<Tool, void, undefined> {
    return this.#lists.entries(TOOLS, options)
  }

  /** Fetches one page: the first one if no cursor is given. */
  listToolsPage(cursor?: string, options?: RequestOptions): Promise<Page<Tool>> {
    return this.#lists.page(TOOLS, cursor, options)
  }

  listPrompts(options?: RequestOptions): Promise<readonly Prompt[]> {
    return this.#lists.all(PROMPTS, options)
  }

  prompts(options?: RequestOptions): AsyncGenerator<Prompt, void, undefined> {
    return this.#lists.entries(PROMPTS, options)
  }

  listPromptsPage(cursor?: string, options?: RequestOptions): Promise<Page<Prompt>> {
    return this.#lists.page(PROMPTS, cursor, options)
  }

  listResources(options?: RequestOptions): Promise<readonly Resource[]> {
    return this.#lists.all(RESOURCES, options)
  }

  resources(options?: RequestOptions): AsyncGenerator<Resource, void, undefined> {
    return this.#lists.entries(RESOURCES, options)
  }

  listResourcesPage(cursor?: string, options?: RequestOptions): Promise<Page<Resource>> {
    return this.#lists.page(RESOURCES, cursor, options)
  }

  listResourceTemplates(options?: RequestOptions): Promise<readonly ResourceTemplate[]> {
    return this.#lists.all(TEMPLATES, options)
  }

  resourceTemplates(options?: RequestOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.#lists.entries(TEMPLATES, options)
  }

  listResourceTemplatesPage(cursor?: string, options?: RequestOptions): Promise<Page<ResourceTemplate>> {
    return this.#lists.page(TEMPLATES, cursor, options)
  }

  /**
   * Calls a tool. Handlers answer the server's requests during the call. If the call becomes a task, its result
   * is awaited. A tool that fails returns a result with `isError` for the model to read.
   *
   * @param tool - its name, or its definition, which determines the types of the arguments and the result
   * @throws OutputMismatchError if the structured result of a listed tool does not match its `outputSchema`
   * @throws McpError, ClientError, and the signal's reason
   */
  callTool<T extends TypedTool>(
    tool: T,
    ...args: readonly [...ToolArgs<T>, options?: RequestOptions]
  ): Promise<TypedToolResult<ToolOutput<T>>>
  callTool(tool: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  callTool(
    tool: string | TypedTool,
    args: JsonObject = {},
    options: RequestOptions = {},
  ): Promise<CallToolResult> {
    return this.#toolCalls.call(nameOf(tool), args, options)
  }

  /**
   * Calls a tool as a task. Resolves as soon as the server has accepted the task. If the server decides which
   * calls become tasks (see the `tasks` option), the task may already be completed.
   */
  startTask(
    tool: string | TypedTool,
    args: JsonObject = {},
    options: RequestOptions & {
      /** How long the server should keep the result, in ms. Used only in 2025-11-25. */
      readonly ttlMs?: number
    } = {},
  ): Promise<ClientTask> {
    return this.#toolCalls.start(nameOf(tool), args, options)
  }

  /** Returns a task that was started earlier, by its id. */
  task(taskId: string): ClientTask {
    return this.#tasks.get(taskId)
  }

  async readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult & CacheHints> {
    this.#requests.require('resources')
    return readResource(await this.#requests.inRounds(Method.ReadResource, { uri }, options))
  }

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    this.#requests.require('prompts')
    const invalid = Object.entries(args).find(([, value]) => typeof value !== 'string')
    if (invalid !== undefined) throw new TypeError(`The prompt argument ${invalid[0]} must be a string`)
    return readPrompt(await this.#requests.inRounds(Method.GetPrompt, { name, arguments: args }, options))
  }

  /**
   * Completes a value that the user is typing: `client.complete({ prompt: 'plan_trip', argument: 'city' }, 'B',
   * { known: { country: 'Italy' } })`.
   *
   * @param ref - what to complete: a prompt's argument, or a resource template's variable
   * @param value - the text typed so far
   * @param options - `known` contains the values of the other arguments
   */
  async complete(
    ref: CompletionRef,
    value: string,
    options: RequestOptions & { readonly known?: Readonly<Record<string, string>> } = {},
  ): Promise<CompleteResult['completion']> {
    const { known, ...rest } = options
    const params = {
      ref:
        'prompt' in ref
          ? { type: 'ref/prompt', name: ref.prompt }
          : { type: 'ref/resource', uri: ref.template },
      argument: { name: ref.argument, value },
      ...(known !== undefined && { context: { arguments: known } }),
    }
    return readCompletion(await this.#requests.complete(Method.Complete, params, rest))
  }

  /**
   * Subscribes to a resource: see the `resourceUpdated` event. The subscription
   * survives the loss of a session.
   */
  async subscribe(uri: string): Promise<void> {
    this.#requests.require('resources.subscribe')
    await this.#requests.dialect.subscriptions.subscribe(uri)
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#requests.dialect.subscriptions.unsubscribe(uri)
  }

  /**
   * Subscribes to an extension's notifications: see the `notification` event. In sessions, no request is sent,
   * because servers notify all clients that have declared the extension. Declare the extension in the
   * `capabilities` option.
   *
   * @throws ClientError `not-supported` if the server does not accept the subscription
   */
  async subscribeExtension(id: string): Promise<void> {
    await this.#requests.dialect.subscriptions.subscribeExtension?.(id)
  }

  /**
   * Changes the timeouts of later requests. Timeouts that are omitted remain unchanged.
   *
   * @throws RangeError for a limit that is not a positive number of milliseconds
   */
  setTimeouts(limits: Readonly<Partial<RequestTimeouts>>): void {
    for (const name of ['timeoutMs', 'maxTotalMs'] as const) {
      const ms = limits[name]
      if (ms === undefined) continue
      if (!(ms > 0)) throw new RangeError(`${name} must be a positive number of milliseconds`)
      this.#options[name] = ms
    }
  }

  /** Sets the minimum level of log messages that the server sends. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#requests.require('logging')
    await this.#requests.dialect.setLogLevel(level)
  }

  /** Notifies the server that the roots have changed, in revisions that have this notification. */
  async rootsChanged(): Promise<void> {
    if (this.#requests.dialect.revision.notifications.has(Notification.RootsListChanged))
      await this.notify(Notification.RootsListChanged)
  }
}

const nameOf = (tool: string | TypedTool): string => (typeof tool === 'string' ? tool : tool.name)
