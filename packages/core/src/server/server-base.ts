import type { ReadProblem, Refuse } from '../features/content/result-types.ts'
import { usageError } from '../errors.ts'
import { resolveRevisions } from '../protocol/revisions/index.ts'
import { type Implementation, type LogLevel, TASKS_EXTENSION } from '../protocol/types.ts'
import type { AnySchema, SchemaEngine } from '../schema/types.ts'
import { type Bus, type ChangeEvent, CHANGES_TOPIC, type onChange } from '../stores/bus.ts'
import { systemClock } from '../util/clock.ts'
import type { CallObservers } from '../call/observation/call-observers.ts'
import { Dispatcher } from '../call/dispatcher.ts'
import { Events, SERVER_EVENTS, type ServerEvents, type ServerListener } from '../call/server-events.ts'
import { createLifespan, type Lifespan, ServerMounts } from '../session/server-mounts.ts'
import { type Logger, stderrLogger, safeLogger } from '../util/logger.ts'
import {
  type AddedMethodName,
  type AnyMiddleware,
  type MethodMiddleware,
  type MethodResults,
  type Middleware,
  MiddlewareStack,
} from '../call/middleware.ts'
import { attempt, type Awaitable } from '../util/promises.ts'
import { secureRandom } from '../util/random.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import { Refusals, type ServerStats } from '../session/stats.ts'
import { type AnyDefinition, KIND } from '../features/define.ts'
import { createFeatures, type FeatureParts, type Features } from '../features/features.ts'
import type {
  AnyPrompt,
  PromptArguments,
  PromptDefinition,
  PromptSchema,
} from '../features/prompts/prompt-types.ts'
import type { AddOptions, Handle } from '../features/registry/registry.ts'
import type { AnyResource, ResourceDefinition } from '../features/resources/resource-types.ts'
import type { AnyTool, CheckTool, NoShape, ToolDefinition, ToolReturn } from '../features/tools/tool-types.ts'
import type { ServerOptions } from './options.ts'
import {
  checkInfo,
  copyExperimental,
  type createBus,
  type createInput,
  type createObservers,
  type createTasks,
  resolveHeartbeat,
  resolveLimits,
  resolveLogLevel,
} from './resolve-options.ts'
import type { checkNamesOfOptions } from './option-names.ts'

/** The methods of servers in every preset. Each preset passes its own parts. */
export class ServerBase<Locals = unknown, App = unknown> {
  /** The server as transports see it, for authors of transports and adapters. */
  readonly runtime: ServerRuntime
  /** Never set. The compiler uses this member to check the `locals` of mounts. */
  declare readonly '~locals'?: (locals: Locals) => void
  readonly #info: Implementation
  protected readonly features: Features
  readonly #middleware = new MiddlewareStack()
  readonly #mounts = new ServerMounts()
  readonly #lifespan: Lifespan
  readonly #bus: Bus
  #releaseShared: (() => Awaitable<void>) | undefined
  readonly #observers: CallObservers | undefined
  #detachTelemetry: (() => void) | undefined
  protected readonly logger: Logger
  readonly #events: Events
  readonly #refusals = new Refusals()

  /** @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`, `ERR_MCP_INVALID_ICON` */
  constructor(info: Implementation, options: ServerOptions<App>, parts: ServerParts) {
    checkInfo(info)
    parts.checkNamesOfOptions?.(info, options)
    this.#info = info
    const limits = resolveLimits(options.limits)
    const logLevel = resolveLogLevel(options.logging)
    this.logger = safeLogger(options.logger ?? stderrLogger)
    this.#events = new Events(this.logger)
    this.#bus =
      options.bus ??
      (options.shared?.forServer?.(info.name) ?? options.shared)?.bus ??
      parts.createBus?.(this.logger) ??
      NO_BUS
    this.#lifespan = createLifespan(options.lifespan)
    this.#observers = parts.createObservers?.(options, this.logger)
    this.features = createFeatures({
      ...parts,
      ...options.tools,
      schemas: parts.schemaEngine(),
      // A server that contains this one notices changed lists by itself.
      publish: (event) => (event.kind === 'resource' ? this.forward(event) : this.publish(event)),
      pageSize: limits.pageSize,
      logging: logLevel !== undefined,
      experimental: copyExperimental(options.experimental),
      instructions: options.instructions,
      cache: options.cache,
      hasMiddleware: (method) => this.#middleware.around(method) !== undefined,
      logger: this.logger,
      lifespan: this.#lifespan,
      extensions: options.extensions,
      tasks: parts.createTasks?.(options.tasks, {
        runtime: () => this.runtime,
        notifies: () => this.features.added.ids.has(TASKS_EXTENSION),
        createDispatcher: (handlers) =>
          this.#createDispatcher({ ...options, progressHeartbeat: false }, { ...limits, handlers }),
        onStored: ({ owner, taskId }) => this.publish({ kind: 'task', owner, taskId }),
      }),
    })
    this.#releaseShared = options.shared?.acquire()
    this.runtime = this.#createRuntime(options, parts, limits, logLevel)
    if (this.#observers !== undefined) this.#detachTelemetry = options.telemetry?.attach(this)
  }

  /**
   * Adds definitions created by `defineTool`, `defineResource`, `defineResourceTemplate` and `definePrompt`,
   * in the given order. Throws like {@link addTool}. Definitions that precede an invalid one remain
   * registered.
   */
  add(...definitions: readonly AnyDefinition<App, Locals>[]): void {
    const { tools, resources, prompts } = this.features
    for (const definition of definitions) {
      if (definition[KIND] === 'tool') tools.registry.add(definition)
      else if (definition[KIND] === 'resource') resources.registry.add(definition)
      else if (definition[KIND] === 'prompt') prompts.registry.add(definition)
      else if (definition[KIND] === 'resource template') resources.templates.registry.add(definition)
      else throw usageError('ERR_MCP_INVALID_DEFINITION', UNDEFINED_KIND)
    }
  }

  /**
   * Adds a tool. Clients see it in `tools/list`, and models can call it. Its `handler` receives the
   * arguments, validated against the `inputSchema`, and returns text, a value that matches the
   * `outputSchema`, or content blocks. Connected clients are notified.
   *
   * @returns a handle that updates or removes the tool
   * @throws `ERR_MCP_DUPLICATE_NAME` unless `replace` is set; `ERR_MCP_INVALID_*` for an invalid definition
   */
  addTool<
    const I extends AnySchema | undefined = undefined,
    const O extends AnySchema | undefined = undefined,
    A = {},
    R extends ToolReturn<O> = ToolReturn<O>,
  >(
    tool: ToolDefinition<I, O, App, Locals, A, R> & CheckTool<I, O, R>,
    options?: AddOptions,
  ): Handle<ToolDefinition<I, O, App, Locals, A>> {
    return this.features.tools.registry.add(tool, options)
  }
  /** @returns whether the tool existed */
  removeTool(name: string): boolean {
    return this.features.tools.registry.remove(name)
  }
  /** Replaces all tools. If the list is empty, clients are still told that the server may have tools. */
  setTools<T extends AnyTool<App, Locals>>(tools: Iterable<T & NoShape<T>>): void {
    this.features.tools.registry.set(tools)
  }

  /** Adds a resource with a fixed URI. Throws like {@link addTool}. */
  addResource<R>(
    resource: ResourceDefinition<App, Locals, R> & Refuse<ReadProblem<R>>,
    options?: AddOptions,
  ): Handle<ResourceDefinition<App, Locals>> {
    return this.features.resources.registry.add(resource, options)
  }
  /** @returns whether the resource existed */
  removeResource(uri: string): boolean {
    return this.features.resources.registry.remove(uri)
  }
  /** Replaces all resources. Does not change the resource templates. */
  setResources(resources: Iterable<AnyResource<App, Locals>>): void {
    this.features.resources.registry.set(resources)
  }

  /** Adds a prompt. Throws like {@link addTool}. */
  addPrompt<
    const S extends PromptSchema | undefined = undefined,
    const L extends PromptArguments = readonly [],
  >(
    prompt: PromptDefinition<S, L, App, Locals>,
    options?: AddOptions,
  ): Handle<PromptDefinition<S, L, App, Locals>> {
    return this.features.prompts.registry.add(prompt, options)
  }
  /** @returns whether the prompt existed */
  removePrompt(name: string): boolean {
    return this.features.prompts.registry.remove(name)
  }
  /** Replaces all prompts. */
  setPrompts(prompts: Iterable<AnyPrompt<App, Locals>>): void {
    this.features.prompts.registry.set(prompts)
  }

  /**
   * Notifies a client that its user is done with a URL. The page at that URL calls this method with the id
   * from `elicitUrl`. Only the session that asked the user is notified, if its revision has such a
   * notification. An unknown id, or an id older than an hour, is ignored. A call that is waiting for the user
   * after a `UrlElicitationRequired` error continues, on any node that shares the bus.
   *
   * @see
   * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
   */
  completeElicitation(id: string): void {
    this.forward({ kind: 'elicitation', id })
  }

  /**
   * Wraps the named method, or every method except `initialize`, in middleware. The first middleware added is the
   * outermost. Middleware wraps only calls that start after it was added. Its errors are handled like a handler's, and
   * it may return a result without calling `next()`.
   *
   * `next()` resolves to the validated result, before it is adapted to the client's revision. Return a new result
   * instead of changing that object; the new result is not validated again.
   *
   * @throws `ERR_MCP_OPTION` for an unknown method
   */
  use(run: Middleware<object, App, Locals>): this
  use<M extends keyof MethodResults>(method: M, run: MethodMiddleware<M, App, Locals>): this
  /** Wraps an extension's method. */
  use<Name extends string>(method: AddedMethodName<Name>, run: Middleware<object, App, Locals>): this
  use(...layer: [run: unknown] | [method: string, run: unknown]): this {
    const [method, run] = layer.length === 1 ? [undefined, layer[0]] : layer
    const { methods, added } = this.features
    if (method !== undefined && !methods.has(method) && !added.methods.has(method)) {
      const known = [...methods.keys(), ...added.methods.keys()].join(', ')
      throw usageError('ERR_MCP_OPTION', `server.use: there is no method "${method}"; choose from ${known}`)
    }
    if (typeof run !== 'function')
      throw usageError('ERR_MCP_OPTION', 'server.use needs a function of (ctx, next)')
    this.#middleware.add(method, run as AnyMiddleware)
    return this
  }

  /**
   * Listens for events on all mounts, for metrics, audits and alarms. Listeners run synchronously, so keep
   * them fast. Their errors are logged. Events without listeners cost nothing.
   *
   * @returns a function that removes the listener
   * @throws `ERR_MCP_OPTION` for an unknown event
   */
  on<Event extends keyof ServerEvents>(event: Event, listener: ServerListener<Event>): () => void {
    if (!SERVER_EVENTS.includes(event) || typeof listener !== 'function')
      throw usageError('ERR_MCP_OPTION', `server.on takes one of ${SERVER_EVENTS.join(', ')}, and a function`)
    return this.#events.on(event, listener)
  }

  /**
   * Returns the number of open sessions, streams and calls on all mounts and connections, and the number of
   * refusals since the server started.
   */
  stats(): ServerStats {
    return {
      ...this.#mounts.gauges(),
      draining: this.#mounts.closed,
      mounts: this.#mounts.size,
      refusals: this.#refusals.snapshot(),
    }
  }

  /**
   * Closes every mount and connection, then the lifespan. Running calls may finish within `deadline`, in ms.
   *
   * @default deadline 10_000
   */
  async close(options: { readonly deadline?: number } = {}): Promise<void> {
    try {
      await this.#mounts.close(options)
    } finally {
      await this.#lifespan.close()
      this.#attempt(() => this.#detachTelemetry?.(), 'The telemetry could not be detached')
      this.#detachTelemetry = undefined
      const release = this.#releaseShared
      this.#releaseShared = undefined
      await release?.()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Publishes an event, also on the servers that contain this one. */
  protected forward(event: ChangeEvent): void {
    this.publish(event)
    for (const listener of this.runtime.listeners) listener(event)
  }

  protected contains(runtime: object): boolean {
    return runtime === this.runtime
  }

  protected publish(event: ChangeEvent): void {
    // A networked bus may fail. The change itself has already been made, and clients will see it the next time
    // they list definitions.
    this.#attempt(() => this.#bus.publish(CHANGES_TOPIC, event), 'A change could not be published')
  }

  /** Runs a step. Logs an error of the step instead of throwing it, because the caller must not receive it. */
  #attempt(step: () => unknown, problem: string): void {
    void attempt(step, (err) => this.logger.error({ err }, problem))
  }

  #createRuntime(
    options: Omit<ServerOptions, 'extensions'>,
    parts: ServerParts,
    limits: ReturnType<typeof resolveLimits>,
    defaultLogLevel: LogLevel | undefined,
  ): ServerRuntime {
    const { instructions } = options
    return {
      info: this.#info,
      revisions: resolveRevisions(options.revisions),
      dispatcher: this.#createDispatcher(options, limits),
      bus: this.#bus,
      onChange: (listener) => parts.onChange?.(this.#bus, listener) ?? (() => {}),
      shared: options.shared,
      clock: options.clock ?? systemClock,
      random: options.random ?? secureRandom,
      logger: this.logger,
      events: this.#events,
      observers: this.#observers,
      refusals: this.#refusals,
      limits: limits.calls,
      maxResultBytes: limits.maxResultBytes,
      input: parts.createInput?.(this.#info, options, this.#bus),
      defaultLogLevel,
      addedNames: this.features.added.names,
      notices: this.features.added.notices,
      capabilities: this.features.capabilities,
      instructions: (client) => (typeof instructions === 'function' ? instructions(client) : instructions),
      ready: this.#lifespan.ready,
      app: this.#lifespan.value,
      addSubscriber: (uri, own) => this.features.resources.watch(uri, own),
      listeners: new Set(),
      contains: (runtime) => this.contains(runtime),
      attach: (mount) => this.#mounts.attach(mount),
    }
  }

  #createDispatcher(
    options: Omit<ServerOptions, 'extensions'>,
    { handlers, maxResultBytes }: Pick<ReturnType<typeof resolveLimits>, 'handlers' | 'maxResultBytes'>,
  ): Dispatcher {
    return new Dispatcher({
      info: this.#info,
      methods: this.features.methods,
      added: this.features.added.methods,
      middleware: this.#middleware,
      clock: options.clock ?? systemClock,
      events: this.#events,
      observers: this.#observers,
      logger: this.logger,
      ...handlers,
      progressHeartbeatMs: resolveHeartbeat(options.progressHeartbeat),
      maxResultBytes,
      onError: (error, ctx, correlationId) => {
        ctx.problems?.error(ctx, HANDLER_FAILED, { correlationId, err: error })
        this.#attempt(() => options.onError?.(error, ctx, correlationId), 'The option onError failed')
      },
    })
  }
}

const HANDLER_FAILED =
  'A handler failed. The client received only the reference in correlationId. Throw a ToolError if the model should read the message'
/** The bus of a server whose changes nobody listens to. */
const NO_BUS: Bus = { publish: () => {}, subscribe: () => () => {} }
const UNDEFINED_KIND =
  'server.add takes what defineTool, defineResource, defineResourceTemplate and definePrompt return; use addTool and the like for plain objects'

/** The parts of a server that some presets omit. Bundlers drop the code of unused parts. */
export interface ServerParts extends FeatureParts {
  readonly schemaEngine: () => SchemaEngine
  /** Carries changes to sessions and subscriptions, if no option sets a bus. */
  readonly createBus?: typeof createBus
  /** Informs sessions and subscriptions of changes. */
  readonly onChange?: typeof onChange
  /** Lets handlers ask their clients questions. */
  readonly createInput?: typeof createInput
  readonly createTasks?: typeof createTasks
  /** Supports the observation of calls. */
  readonly createObservers?: typeof createObservers
  /** Finds misspelt option names. Without this part, only the type checker finds them. */
  readonly checkNamesOfOptions?: typeof checkNamesOfOptions
}
