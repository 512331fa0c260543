import {
  type CallToolResult,
  type CompleteResult,
  ErrorCode,
  type GetPromptResult,
  type Implementation,
  type JsonObject,
  type LogLevel,
  McpError,
  Method,
  Notification,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
  type RevisionDate,
  type ServerCapabilities,
  type Tool,
} from '@jetway/core/protocol'
import { type Clock, systemClock } from '@jetway/core/stores'
import { Asking } from './asking.ts'
import { connecting, type Connected } from './connecting.ts'
import type { Conversation, ConversationEvents, Ignored } from './conversation/conversation.ts'
import type { ListKind } from './eras/side.ts'
import { ClientError, ConnectionClosedError } from './errors.ts'
import { Emitter } from './features/emitter.ts'
import { type ClientEvents, type ClientListener, eventOf } from './features/events.ts'
import { KnownTools } from './features/known-tools.ts'
import { OutputChecks } from './features/output-checks.ts'
import { Lists } from './features/lists.ts'
import {
  type CacheHints,
  LISTS,
  type Page,
  readCompletion,
  readPrompt,
  readResource,
  readToolResult,
} from './features/results.ts'
import { type ClientTask, Tasks } from './features/tasks.ts'
import type { ToolArgs, ToolOutput, TypedTool, TypedToolResult } from './features/typed-tool.ts'
import { type ClientOptions, DEFAULTS, type RequestOptions } from './options.ts'
import { Requests } from './requests.ts'
import { type SavedSession, savedSession } from './saved-session.ts'
import type { ClientTransport, Dial, TransportClose } from './transport/client-transport.ts'
import { type Deferred, deferred } from './waiting.ts'

/** What a server has said of itself, and how it is spoken to. */
export interface ServerView {
  /** For display only. */
  readonly info: Implementation | undefined
  readonly capabilities: ServerCapabilities
  /** For the model: how the server is to be used. */
  readonly instructions: string | undefined
  readonly protocolVersion: RevisionDate
}

/** What {@link Client.complete} completes: an argument of a prompt, or a variable of a resource template. */
export type CompletionRef =
  | { readonly prompt: string; readonly argument: string }
  | { readonly template: string; readonly argument: string }

/** Numbers of one connection. */
export interface ClientStats {
  readonly pending: number
  /** What the server has sent, and nobody was waiting for. */
  readonly ignored: Ignored
}

/**
 * One MCP server, of any revision. Making one opens nothing; {@link connect} does. Failures of the server's are
 * `McpError`s, those of this side `ClientError`s; a tool's own failure is a result with `isError`.
 */
export class Client {
  readonly #info: Implementation
  readonly #options: ClientOptions
  readonly #clock: Clock
  readonly #events = new Emitter<ClientEvents>((event, error) => {
    // A listener of errors that fails has nobody to tell.
    if (event !== 'error') this.#events.emit('error', error)
  })
  readonly #asking: Asking
  readonly #tools = new KnownTools()
  readonly #outputs: OutputChecks
  readonly #tasks: Tasks
  readonly #requests: Requests
  readonly #lists: Lists
  #connecting: { readonly target: ClientTransport | Dial; readonly done: Promise<Connected> } | undefined
  #connected: Connected | undefined
  /** The connection of a handshake as well. */
  #conversation: Conversation | undefined
  #closed: TransportClose | undefined
  #closing: Promise<void> | undefined
  readonly #announced: Deferred<TransportClose> = deferred()

  constructor(info: Implementation, options: ClientOptions = {}) {
    this.#info = info
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#outputs = new OutputChecks((error) => this.#events.emit('error', error))
    this.#asking = new Asking({
      options,
      clock: this.#clock,
      server: () => this.#connected?.side.server.info,
      revision: () => this.#connected?.side.revision,
      onError: (error) => this.#events.emit('error', error),
    })
    const { answerForCall: answer, urls } = this.#asking
    this.#requests = new Requests({
      options,
      connected: () => this.#needConnected(),
      answer,
      urls,
    })
    this.#lists = new Lists({
      requests: this.#requests,
      tools: this.#tools,
      maxPages: options.maxPages ?? DEFAULTS.maxPages,
      maxItems: options.maxItems ?? DEFAULTS.maxItems,
      onError: (error) => this.#events.emit('error', error),
    })
    this.#tasks = new Tasks({
      clock: this.#clock,
      requests: this.#requests,
      answer,
    })
  }

  /** What the host calls this server. */
  get name(): string | undefined {
    return this.#options.name
  }

  /** Undefined before {@link connect} has resolved. */
  get server(): ServerView | undefined {
    if (this.#connected === undefined) return undefined
    const { server, revision } = this.#connected.side
    return { ...server, protocolVersion: revision.version }
  }

  /**
   * What a later client needs to go on with the session; undefined where there is none, as without HTTP and without
   * sessions. Take it when nothing more is asked. `endSession: false` of the transport keeps closing from ending it.
   */
  get session(): SavedSession | undefined {
    return this.#connected === undefined
      ? undefined
      : savedSession(this.#connected.conversation, this.#connected.side)
  }

  /** Whether the server can be asked, as far as this side knows: over HTTP the next request may tell otherwise. */
  get isAlive(): boolean {
    const conversation = this.#connected?.conversation
    return (
      conversation !== undefined &&
      conversation.closed === undefined &&
      conversation.transport.alive !== false
    )
  }

  /** Resolves when the connection has ended, with the reason; also for those who ask later. */
  get closed(): Promise<TransportClose> {
    return this.#announced.promise
  }

  stats(): ClientStats {
    const conversation = this.#conversation
    return {
      pending: conversation?.pending ?? 0,
      ignored: conversation?.ignored() ?? { responses: 0, progress: 0, requests: 0, malformed: 0 },
    }
  }

  /**
   * Connects, and agrees with the server on a revision. A second call waits for the first, or returns at once. Where it
   * fails nothing stays open, and it can be called again. A client has one connection in its life.
   *
   * @param target - a transport; or a function that opens one, which may be called a second time for a server that ends
   *   the connection when it is asked for its era
   * @param options - `session`: one to go on with, of {@link session}; nothing is sent for it. Where the server no longer
   *   knows it, the first request finds out, and another one is opened
   * @throws UnsupportedRevisionError, ConnectionClosedError, ClientError `timeout`, and what the transport throws
   */
  async connect(
    target: ClientTransport | Dial,
    options: { readonly signal?: AbortSignal; readonly session?: SavedSession } = {},
  ): Promise<this> {
    if (this.#closing !== undefined || this.#closed !== undefined)
      throw new ConnectionClosedError('The client is closed: make another one', this.#closed)
    if (this.#connecting !== undefined && this.#connecting.target !== target)
      throw new TypeError('The client is connected to something else')
    this.#connecting ??= { target, done: this.#connect(target, options) }
    try {
      await this.#connecting.done
      return this
    } catch (error) {
      this.#connecting = undefined
      throw error
    }
  }

  async #connect(
    target: ClientTransport | Dial,
    { signal, session }: { readonly signal?: AbortSignal; readonly session?: SavedSession },
  ): Promise<Connected> {
    const connected = await connecting(target, {
      info: this.#info,
      options: this.#options,
      clock: this.#clock,
      signal,
      session,
      events: this.#heard,
      onReopened: () => this.#events.emit('gap', undefined),
      onGap: () => this.#events.emit('gap', undefined),
      onOpened: (conversation) => (this.#conversation = conversation),
    })
    if (connected.conversation.closed !== undefined)
      throw new ConnectionClosedError('The connection ended at once', connected.conversation.closed)
    this.#connected = connected
    this.#wantLists()
    return connected
  }

  /** Ends the connection: what waits is rejected with `ConnectionClosedError`. Safe to call again. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#connected?.side.close()
    await this.#conversation?.close()
    this.#end({ kind: 'end' })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Calls a listener for each event from now on. Returns what stops it. Listen before {@link connect} to miss nothing. */
  on<E extends keyof ClientEvents>(event: E, listener: ClientListener<E>): () => void {
    const off = this.#events.on(event, listener)
    this.#wantLists()
    return () => {
      off()
      this.#wantLists()
    }
  }

  /**
   * Sends any request, and resolves to its result as it came. For methods that have no method here.
   *
   * @throws McpError, ClientError, and the reason of the signal
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#requests.send(method, params ?? {}, options)
  }

  /** Sends any notification. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#needConnected().conversation.notify(method, params)
  }

  /** Whether the server answers at all. Where the revision has no `ping`, another request stands for it. */
  async ping(options?: RequestOptions): Promise<void> {
    const { methods } = this.#requests.side.revision
    await this.#requests.send(methods.has(Method.Ping) ? Method.Ping : Method.Discover, {}, options)
  }

  /** All tools, page after page. @throws ClientError `endless-list` beyond `maxPages` and `maxItems` */
  listTools(options?: RequestOptions): Promise<readonly Tool[]> {
    return this.#lists.all(LISTS.tools, options)
  }

  /** Tools as their pages come. */
  tools(options?: RequestOptions): AsyncGenerator<Tool, void, undefined> {
    return this.#lists.entries(LISTS.tools, options)
  }

  /** One page of tools, the first without a cursor. */
  listToolsPage(cursor?: string, options?: RequestOptions): Promise<Page<Tool>> {
    return this.#lists.page(LISTS.tools, cursor, options)
  }

  listPrompts(options?: RequestOptions): Promise<readonly Prompt[]> {
    return this.#lists.all(LISTS.prompts, options)
  }

  prompts(options?: RequestOptions): AsyncGenerator<Prompt, void, undefined> {
    return this.#lists.entries(LISTS.prompts, options)
  }

  listPromptsPage(cursor?: string, options?: RequestOptions): Promise<Page<Prompt>> {
    return this.#lists.page(LISTS.prompts, cursor, options)
  }

  listResources(options?: RequestOptions): Promise<readonly Resource[]> {
    return this.#lists.all(LISTS.resources, options)
  }

  resources(options?: RequestOptions): AsyncGenerator<Resource, void, undefined> {
    return this.#lists.entries(LISTS.resources, options)
  }

  listResourcesPage(cursor?: string, options?: RequestOptions): Promise<Page<Resource>> {
    return this.#lists.page(LISTS.resources, cursor, options)
  }

  listResourceTemplates(options?: RequestOptions): Promise<readonly ResourceTemplate[]> {
    return this.#lists.all(LISTS.templates, options)
  }

  resourceTemplates(options?: RequestOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.#lists.entries(LISTS.templates, options)
  }

  listResourceTemplatesPage(cursor?: string, options?: RequestOptions): Promise<Page<ResourceTemplate>> {
    return this.#lists.page(LISTS.templates, cursor, options)
  }

  /**
   * Calls a tool. The server's questions on the way are put to the handlers; where it runs as a task, the task is waited
   * for. A failure of the tool itself is a result with `isError`, for the model to read.
   *
   * @param tool - its name, or its definition, by which arguments and result have their types
   * @throws OutputMismatchError where a listed tool's structured result is not what its schema says
   * @throws McpError, ClientError, and the reason of the signal
   */
  callTool<T extends TypedTool>(
    tool: T,
    ...args: readonly [...ToolArgs<T>, options?: RequestOptions]
  ): Promise<TypedToolResult<ToolOutput<T>>>
  callTool(
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<CallToolResult>
  async callTool(
    tool: string | TypedTool,
    args: Readonly<Record<string, unknown>> = {},
    options: RequestOptions = {},
  ): Promise<CallToolResult> {
    const name = typeof tool === 'string' ? tool : tool.name
    this.#requests.offered('tools')
    const answered = await this.#sendCall(name, { name, arguments: args }, options)
    const result = readToolResult(await this.#tasks.resultOf(answered, options))
    if (this.#options.validateOutput !== false)
      await this.#outputs.check(name, this.#tools.outputSchema(name), result)
    return result
  }

  /**
   * Calls a tool as a task: resolves as soon as the server has taken it on. Where the server decides what runs as a task
   * (see the option `tasks`), the call may be done by then.
   */
  async startTask(
    tool: string | TypedTool,
    args: Readonly<Record<string, unknown>> = {},
    options: RequestOptions & {
      /** How long the server is to keep the result, in ms, where the client decides. */
      readonly ttlMs?: number
    } = {},
  ): Promise<ClientTask> {
    const name = typeof tool === 'string' ? tool : tool.name
    this.#requests.offered('tools')
    const params = { name, arguments: args, ...this.#tasks.wish(options.ttlMs) }
    return this.#tasks.begin(await this.#sendCall(name, params, options))
  }

  /** Where the headers do not say what the server wants there, its tools are other ones than was listed: once more. */
  async #sendCall(
    name: string,
    params: JsonObject & { readonly arguments: JsonObject },
    options: RequestOptions,
  ): Promise<JsonObject> {
    const send = (): Promise<JsonObject> =>
      this.#requests.inRounds(
        Method.CallTool,
        params,
        options,
        this.#tools.headersFor(name, params.arguments),
      )
    try {
      return await send()
    } catch (error) {
      const mismatch = error instanceof McpError && error.code === ErrorCode.HeaderMismatch
      if (!mismatch || !this.#requests.hasHeaders) throw error
      await this.listTools({ ...(options.signal !== undefined && { signal: options.signal }) })
      return await send()
    }
  }

  /** A task that was begun before, by its id. */
  task(taskId: string): ClientTask {
    return this.#tasks.of(taskId)
  }

  async readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult & CacheHints> {
    this.#requests.offered('resources')
    return readResource(await this.#requests.inRounds(Method.ReadResource, { uri }, options))
  }

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    this.#requests.offered('prompts')
    const odd = Object.entries(args).find(([, value]) => typeof value !== 'string')
    if (odd !== undefined) throw new TypeError(`The argument ${odd[0]} of a prompt must be a text`)
    return readPrompt(await this.#requests.inRounds(Method.GetPrompt, { name, arguments: args }, options))
  }

  /** Suggestions for a value that is being typed. `known`: what other arguments have by now. */
  async complete(
    ref: CompletionRef,
    value: string,
    { known, ...options }: RequestOptions & { readonly known?: Readonly<Record<string, string>> } = {},
  ): Promise<CompleteResult['completion']> {
    const result = await this.#requests.ask(
      Method.Complete,
      {
        ref:
          'prompt' in ref
            ? { type: 'ref/prompt', name: ref.prompt }
            : { type: 'ref/resource', uri: ref.template },
        argument: { name: ref.argument, value },
        ...(known !== undefined && { context: { arguments: known } }),
      },
      options,
    )
    return readCompletion(result)
  }

  /** Has the server tell of changes of a resource, by the event `resourceUpdated`, also after a session was lost. */
  async subscribe(uri: string): Promise<void> {
    this.#requests.offeredSubscriptions()
    await this.#requests.side.subscribe(uri)
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.#requests.side.unsubscribe(uri)
  }

  /** The least severe of the log messages that the server is to send. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#requests.offered('logging')
    await this.#requests.side.setLogLevel(level)
  }

  /** Tells the server that the roots are other ones, where the revision lets it be told. */
  async rootsChanged(): Promise<void> {
    if (this.#requests.side.revision.notifications.has(Notification.RootsListChanged))
      await this.notify(Notification.RootsListChanged)
  }

  #needConnected(): Connected {
    if (this.#closed !== undefined)
      throw new ConnectionClosedError('The connection is closed', this.#closed, { unprocessed: true })
    if (this.#connected !== undefined) return this.#connected
    throw new ClientError('not-connected', 'The client is not connected: call connect() first')
  }

  readonly #heard: ConversationEvents = {
    notification: (message) => {
      if (this.#connected?.side.hears(message) === true) return
      this.#events.emit('notification', message)
      const event = eventOf(message) ?? {}
      const { elicitationComplete: finished } = event
      if (finished !== undefined && !this.#asking.opened.finish(finished.elicitationId)) return
      for (const [name, value] of Object.entries(event))
        this.#events.emit(name as 'resourceUpdated', value as ClientEvents['resourceUpdated'])
    },
    request: ({ method, params = {} }, { signal }) =>
      this.#connected?.side.answersRequests === false
        ? undefined
        : this.#asking.answer(method, params, signal),
    error: (error) => this.#events.emit('error', error),
    closed: (reason) => {
      // A handshake that fails ends its connection, not the client.
      if (this.#connected !== undefined) this.#end(reason)
    },
  }

  #end(reason: TransportClose): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    this.#connected?.side.close()
    this.#asking.end(new ConnectionClosedError('The connection is closed', reason))
    this.#announced.resolve(reason)
    this.#events.emit('close', reason)
  }

  /** Where changes of lists have to be asked for, they are, as long as somebody listens. */
  #wantLists(): void {
    if (this.#connected === undefined || this.#closed !== undefined) return
    const all = this.#events.has('notification')
    const kinds = (['tools', 'prompts', 'resources'] as const).filter(
      (kind): kind is ListKind => all || this.#events.has(`${kind}Changed`),
    )
    this.#connected.side.wantLists(new Set(kinds))
  }
}
