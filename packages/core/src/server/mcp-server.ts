import { usageError } from '../errors.ts'
import { resolveRevisions } from '../protocol/revisions/index.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { Implementation } from '../protocol/types.ts'
import type { AnySchema } from '../schema/types.ts'
import type { Transport } from '../duplex/transport.ts'
import { type Bus, type ChangeEvent, CHANGES_TOPIC } from '../stores/bus.ts'
import { systemClock } from '../util/clock.ts'
import { type Connection, type ConnectionOptions, serveTransport } from '../duplex/connection.ts'
import { Dispatcher } from '../call/dispatcher.ts'
import { Events, SERVER_EVENTS, type ServerEvents, type ServerListener } from '../call/server-events.ts'
import { createLifespan, type Lifespan } from '../session/lifespan.ts'
import { type Logger, stderrLogger, safeLogger } from '../util/logger.ts'
import { MemoryBus } from '../stores/memory-bus.ts'
import {
  type AddedMethodName,
  type AnyMiddleware,
  type MethodMiddleware,
  type MethodResults,
  type Middleware,
  MiddlewareStack,
} from '../call/middleware.ts'
import { MessageHandler, type MessageOptions } from '../duplex/message-handler.ts'
import type { SessionView } from '../call/request-context.ts'
import { type MountArgs, ServerMounts } from '../session/server-mounts.ts'
import { secureRandom } from '../util/random.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import { Refusals, type ServerStats } from '../session/stats.ts'
import { type AnyDefinition, KIND } from '../features/define.ts'
import { compileAsks } from '../features/tools/asks.ts'
import { buildTemplate } from '../features/resources/resource-templates.ts'
import { addExtensions } from '../features/extensions.ts'
import { subscriptionMethods } from '../features/subscription-methods.ts'
import { createFeatures, type Features } from '../features/features.ts'
import { type ForSession, forSession } from '../features/for-session.ts'
import { type Follower, type Observation, observe } from '../features/observe.ts'
import type {
  AnyPrompt,
  PromptArguments,
  PromptDefinition,
  PromptSchema,
} from '../features/prompts/prompt-types.ts'
import type { AddOptions, Handle } from '../features/registry/registry.ts'
import type {
  AnyResource,
  AnyResourceTemplate,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from '../features/resources/resource-types.ts'
import { tieredEngine } from '../schema/tiered-engine.ts'
import type { Source } from '../features/source.ts'
import type { AnyTool, ToolDefinition } from '../features/tools/tool-types.ts'
import type { ServerOptions } from './options.ts'
import {
  checkInfo,
  copyExperimental,
  createInputContext,
  resolveHeartbeat,
  resolveLimits,
  type ResolvedLimits,
  resolveLogLevel,
} from './resolve-options.ts'
import type { ServerParts } from './parts.ts'
import { createTasks } from './tasks-option.ts'

/** What servers of every preset have. Presets pass the parts: {@link McpServer} passes all of them. */
export class ServerBase<Locals = unknown, App = unknown> {
  /** How doors see the server; for those who write transports and adapters. */
  readonly runtime: ServerRuntime
  /** Never there: it makes the compiler hold every mount to `Locals`. */
  declare readonly '~locals'?: (locals: Locals) => void
  readonly #info: Implementation
  protected readonly features: Features
  readonly #middleware = new MiddlewareStack()
  readonly #mounts = new ServerMounts()
  protected readonly followers: Set<Follower> = new Set()
  readonly #lifespan: Lifespan
  readonly #bus: Bus
  protected readonly logger: Logger
  readonly #events: Events
  readonly #refusals = new Refusals()

  /** @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`, `ERR_MCP_INVALID_ICON` */
  constructor(info: Implementation, options: ServerOptions<App>, parts: ServerParts) {
    checkInfo(info)
    this.#info = info
    const limits = resolveLimits(options.limits)
    const logLevel = resolveLogLevel(options.logging)
    this.logger = safeLogger(options.logger ?? stderrLogger)
    this.#events = new Events(this.logger)
    this.#bus =
      options.bus ??
      new MemoryBus({ onError: (err, topic) => this.logger.error({ err, topic }, 'A bus listener failed') })
    this.#lifespan = createLifespan(options.lifespan)
    this.features = createFeatures({
      schemas: parts.schemaEngine(),
      publish: (event) => this.#publish(event),
      ...options.tools,
      pageSize: limits.pageSize,
      logging: logLevel !== undefined,
      experimental: copyExperimental(options.experimental),
      instructions: options.instructions,
      cache: options.cache,
      layered: (method) => this.#middleware.around(method) !== undefined,
      logger: this.logger,
      opened: this.#lifespan,
      tasks: parts.tasks?.(options.tasks, {
        runtime: () => this.runtime,
        listened: () => this.features.added.ids.has(TASKS_EXTENSION),
        createDispatcher: (handlers) =>
          this.#createDispatcher({ ...options, progressHeartbeat: false }, { ...limits, handlers }),
        onStored: ({ owner, taskId }) => this.#publish({ kind: 'task', owner, taskId }),
      }),
      subscriptions: parts.subscriptions,
      compileAsks: parts.input?.compileAsks,
      buildTemplate: parts.buildTemplate,
      extensions: options.extensions,
      addExtensions: parts.addExtensions,
    })
    this.runtime = this.#createRuntime(info, options, { parts, limits, defaultLogLevel: logLevel })
  }

  /**
   * Offers what `defineTool`, `defineResource`, `defineResourceTemplate` and `definePrompt` made, in the order given.
   * Throws like {@link addTool}; what came before the one that is wrong stays.
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
   * Offers a tool.
   *
   * @throws `ERR_MCP_DUPLICATE_NAME` unless `replace` is set, and whatever is wrong with the definition
   */
  addTool<
    const I extends AnySchema | undefined = undefined,
    const O extends AnySchema | undefined = undefined,
    A = {},
  >(
    tool: ToolDefinition<I, O, App, Locals, A>,
    options?: AddOptions,
  ): Handle<ToolDefinition<I, O, App, Locals, A>> {
    return this.features.tools.registry.add(tool, options)
  }
  /** @returns whether there was one */
  removeTool(name: string): boolean {
    return this.features.tools.registry.remove(name)
  }
  /** Offers these tools and no others. An empty list still promises clients that there may be some. */
  setTools(tools: Iterable<AnyTool<App, Locals>>): void {
    this.features.tools.registry.set(tools)
  }

  /** Offers one resource at a fixed address. Throws like {@link addTool}. */
  addResource(
    resource: ResourceDefinition<App, Locals>,
    options?: AddOptions,
  ): Handle<ResourceDefinition<App, Locals>> {
    return this.features.resources.registry.add(resource, options)
  }
  /** @returns whether there was one */
  removeResource(uri: string): boolean {
    return this.features.resources.registry.remove(uri)
  }
  /** Offers these resources and no others, templates aside. */
  setResources(resources: Iterable<AnyResource<App, Locals>>): void {
    this.features.resources.registry.set(resources)
  }

  /** Offers a prompt. Throws like {@link addTool}. */
  addPrompt<
    const S extends PromptSchema | undefined = undefined,
    const L extends PromptArguments = readonly [],
  >(
    prompt: PromptDefinition<S, L, App, Locals>,
    options?: AddOptions,
  ): Handle<PromptDefinition<S, L, App, Locals>> {
    return this.features.prompts.registry.add(prompt, options)
  }
  /** @returns whether there was one */
  removePrompt(name: string): boolean {
    return this.features.prompts.registry.remove(name)
  }
  /** Offers these prompts and no others. */
  setPrompts(prompts: Iterable<AnyPrompt<App, Locals>>): void {
    this.features.prompts.registry.set(prompts)
  }

  /**
   * Tells the clients that have subscribed to a resource that it has changed. Subscribers of the resource that it is
   * `within` are notified, too.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#subscriptions
   */
  notifyResourceUpdated(uri: string, { within }: { readonly within?: string } = {}): void {
    this.#publish(within === undefined ? { kind: 'resource', uri } : { kind: 'resource', uri, within })
  }

  /**
   * Tells the client whose user was sent to an address that they are done there: to be called by what is served at the
   * address, with the id that `elicitUrl` gave it. Only the session that was asked hears of it, on its own stream, and
   * only where its revision has such a notice; an id that is not known, or older than an hour, is ignored. A call that
   * waits for the user after an `UrlElicitationRequired` goes on, on whichever node of a shared bus it runs.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
   */
  completeElicitation(id: string): void {
    this.#publish({ kind: 'elicitation', id })
  }

  /**
   * Runs a middleware around every method but `initialize`, or around one, given by its wire name. The first one added
   * is the outermost; one that is added later stands around the calls that come later. What it throws is treated as if
   * the handler had thrown it, and it may answer without `next()`.
   *
   * What `next()` resolves to is the neutral result, validated already: return another one, do not change it in place.
   * What replaces it is brought to the client's revision, and is not validated again.
   *
   * @throws `ERR_MCP_OPTION` for a method that there is not
   */
  use(run: Middleware<object, App, Locals>): this
  use<M extends keyof MethodResults>(method: M, run: MethodMiddleware<M, App, Locals>): this
  /** The same for a method that an extension has added. */
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
   * Listens to what the server does, on all of its mounts: for metrics, audits and alarms. Listeners run in place, so
   * they should be quick; what they throw is logged. Without listeners events cost nothing.
   *
   * @returns what takes the listener away again
   * @throws `ERR_MCP_OPTION` for an event that there is not
   */
  on<Event extends keyof ServerEvents>(event: Event, listener: ServerListener<Event>): () => void {
    if (!SERVER_EVENTS.includes(event) || typeof listener !== 'function')
      throw usageError('ERR_MCP_OPTION', `server.on takes one of ${SERVER_EVENTS.join(', ')}, and a function`)
    return this.#events.on(event, listener)
  }

  /** What all mounts and connections hold right now, and what was turned away on any of them since the server began. */
  stats(): ServerStats {
    return {
      ...this.#mounts.gauges(),
      draining: this.#mounts.closed,
      mounts: this.#mounts.size,
      refusals: this.#refusals.snapshot(),
    }
  }

  /**
   * Closes every mount and connection, then the lifespan. Calls that run may finish within `deadline` ms.
   *
   * @default deadline 10_000
   */
  async close(options: { readonly deadline?: number } = {}): Promise<void> {
    for (const follower of this.followers) follower.stop()
    this.followers.clear()
    try {
      await this.#mounts.close(options)
    } finally {
      await this.#lifespan.close()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #publish(event: ChangeEvent): void {
    // A bus over a network may fail; the change itself has happened, and clients will list again some day.
    this.#attempt(() => this.#bus.publish(CHANGES_TOPIC, event), 'A change could not be published')
  }

  /** Logs a failure, now or later: it must not end what caused the call. */
  #attempt(run: () => unknown, problem: string): void {
    const failed = (err: unknown): void => this.logger.error({ err }, problem)
    try {
      const done = run()
      if (done instanceof Promise) done.catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  #createRuntime(
    info: Implementation,
    options: ServerOptions<App>,
    { parts, limits, defaultLogLevel }: Resolved,
  ): ServerRuntime {
    const clock = options.clock ?? systemClock
    const { instructions } = options
    return {
      info,
      revisions: resolveRevisions(options.revisions),
      dispatcher: this.#createDispatcher(options, limits),
      bus: this.#bus,
      clock,
      random: options.random ?? secureRandom,
      logger: this.logger,
      events: this.#events,
      refusals: this.#refusals,
      limits: limits.calls,
      input: parts.input?.createContext(info, { ...options, limits: limits.input }, this.#bus),
      defaultLogLevel,
      addedNames: this.features.added.names,
      capabilities: (revision) => this.features.capabilities(revision),
      instructions: (client) => (typeof instructions === 'function' ? instructions(client) : instructions),
      ready: () => this.#lifespan.ready(),
      app: () => this.#lifespan.value(),
      addSubscriber: (uri, own) => this.features.resources.watch(uri, own),
      attach: (mount) => this.#mounts.attach(mount),
    }
  }

  #createDispatcher(
    options: ServerOptions<App>,
    { handlers, maxResultBytes }: Pick<ResolvedLimits, 'handlers' | 'maxResultBytes'>,
  ): Dispatcher {
    return new Dispatcher({
      info: this.#info,
      methods: this.features.methods,
      added: this.features.added.methods,
      middleware: this.#middleware,
      clock: options.clock ?? systemClock,
      events: this.#events,
      ...handlers,
      progressHeartbeatMs: resolveHeartbeat(options.progressHeartbeat),
      maxResultBytes,
      onError: (error, ctx, correlationId) => {
        const { method } = ctx.message
        this.logger.error(
          { err: error, method, correlationId },
          'A handler failed; the peer was shown the correlation id only',
        )
        this.#attempt(() => options.onError?.(error, ctx, correlationId), 'The option onError failed')
      },
    })
  }
}

interface Resolved extends Pick<ServerRuntime, 'defaultLogLevel'> {
  readonly parts: ServerParts
  readonly limits: ResolvedLimits
}

const ALL_PARTS: ServerParts = {
  schemaEngine: tieredEngine,
  input: { createContext: createInputContext, compileAsks },
  tasks: createTasks,
  buildTemplate,
  subscriptions: subscriptionMethods,
  addExtensions,
}

/**
 * The definition of a server: what it offers, and nothing about who is connected. One instance serves any number of
 * clients, transports and protocol revisions at the same time.
 *
 * `Locals` is what every mount's `locals` option must give (`ctx.locals`); `App` is what `lifespan` opens (`ctx.app`).
 */
export class McpServer<Locals = unknown, App = unknown> extends ServerBase<Locals, App> {
  #messages: MessageHandler | undefined

  /** @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`, `ERR_MCP_INVALID_ICON` */
  constructor(info: Implementation, options: ServerOptions<App> = {}) {
    super(info, options, ALL_PARTS)
    for (const { source } of options.extensions ?? [])
      if (source !== undefined) this.observe(source as Source<App, Locals>)
  }

  /**
   * Offers what another registry has, and keeps in step with it until the handle detaches it or the server closes. A
   * source that answers at once is there when this returns; for others wait for `ready`. Clients get one notification for
   * several changes. What has its name or URI taken, or is wrong, is left out and logged; a source that fails is logged,
   * and what it last gave stays.
   *
   * @throws `ERR_MCP_INVALID_DEFINITION` for something that is no source
   */
  observe(source: Source<App, Locals>): Observation {
    const follower = observe(source, this.features, this.logger)
    this.followers.add(follower)
    const detach = (): void => {
      this.followers.delete(follower)
      follower.detach()
    }
    return { ready: follower.ready, detach, [Symbol.dispose]: detach }
  }

  /** Offers the resources whose addresses a URI template (RFC 6570) describes. Throws like {@link addTool}. */
  addResourceTemplate<const Template extends string>(
    template: ResourceTemplateDefinition<Template, App, Locals>,
    options?: AddOptions,
  ): Handle<ResourceTemplateDefinition<Template, App, Locals>> {
    return this.features.resources.templates.registry.add(template, options)
  }
  /** @returns whether there was one */
  removeResourceTemplate(uriTemplate: string): boolean {
    return this.features.resources.templates.registry.remove(uriTemplate)
  }
  /** Offers these templates and no others. */
  setResourceTemplates(templates: Iterable<AnyResourceTemplate<App, Locals>>): void {
    this.features.resources.templates.registry.set(templates)
  }

  /**
   * Answers one message from any source, such as a queue or a function's event. It needs no mount and no
   * session, so the client gets no notifications of changes, and can be asked only in rounds.
   *
   * @param message - JSON text, or what it parses to; batches are refused
   * @returns the answer as JSON text; undefined for notifications and responses, which have none. Never rejects for
   *   what the message says
   * @throws `ERR_MCP_CLOSED` when the server was closed before its first message
   */
  async handleMessage(
    message: unknown,
    ...[options]: MountArgs<MessageOptions, Locals>
  ): Promise<string | undefined> {
    if (this.#messages === undefined) {
      const messages = new MessageHandler(this.runtime)
      this.runtime.attach(messages)
      this.#messages = messages
    }
    return this.#messages.handle(message, options ?? {})
  }

  /**
   * What one session has beside what the server offers to everybody: `ctx.session` in a handler, or `session` of the
   * event `session:open`.
   *
   * @throws `ERR_MCP_SESSION` for what is no session of this server
   */
  forSession(session: SessionView): ForSession<Locals, App> {
    return forSession(this.features, this.runtime, session)
  }

  /** Serves one client over a transport, for example one end of an in-memory pair. */
  connect(transport: Transport, ...[options]: MountArgs<ConnectionOptions, Locals>): Connection {
    return serveTransport(this.runtime, transport, options)
  }
}

/**
 * Creates a server that says what it demands of its mounts and has `ctx.app` inferred from its `lifespan`, which
 * `new McpServer<Locals>(…)` cannot: a type argument that is given turns off the inference of the others.
 *
 * `createServer<{ user: User }>()(info, { lifespan: () => openDatabase() })`
 */
export function createServer<Locals = unknown>(): <App = unknown>(
  info: Implementation,
  options?: ServerOptions<App>,
) => McpServer<Locals, App> {
  return (info, options) => new McpServer(info, options)
}

const UNDEFINED_KIND =
  'server.add takes what defineTool, defineResource, defineResourceTemplate and definePrompt return; use addTool and the like for plain objects'
