import type { ReadProblem, Refuse } from '../features/content/result-types.ts'
import { compileAsks } from '../features/tools/asks.ts'
import { addExtensions } from '../features/extensions.ts'
import { type ForSession, forSession } from '../features/for-session.ts'
import { logTo, Notifier } from '../features/notifier.ts'
import { type Observation, observe } from '../features/observe.ts'
import type { AddOptions, Handle } from '../features/registry/registry.ts'
import { checkMembers } from '../features/members.ts'
import { buildTemplate } from '../features/resources/resource-templates.ts'
import { createSubscriberHooks } from '../features/resources/subscriber-hooks.ts'
import type { AnyResourceTemplate, ResourceTemplateDefinition } from '../features/resources/resource-types.ts'
import type { Source } from '../features/define.ts'
import { subscriptionMethods } from '../features/subscription-methods.ts'
import type { LogSender } from '../call/log.ts'
import type { SessionView } from '../call/request-context.ts'
import { type Connection, type ConnectionOptions, serveTransport } from '../duplex/connection.ts'
import { MessageHandler, type MessageOptions } from '../duplex/message-handler.ts'
import type { Transport } from '../duplex/transport.ts'
import { usageError } from '../errors.ts'
import type { Implementation } from '../protocol/types.ts'
import { type ChangeEvent, onChange } from '../stores/bus.ts'
import { tieredEngine } from '../schema/tiered-engine.ts'
import type { MountArgs } from '../session/server-mounts.ts'
import { checkNamesOfOptions } from './option-names.ts'
import type { ServerOptions } from './options.ts'
import { ServerBase, type ServerParts } from './server-base.ts'
import { createBus, createInput, createObservers, createTasks } from './resolve-options.ts'

const ALL_PARTS: ServerParts = {
  schemaEngine: tieredEngine,
  createBus,
  onChange,
  createInput,
  createTasks,
  createObservers,
  compileAsks,
  buildTemplate,
  checkMembers,
  checkNamesOfOptions,
  subscriptionMethods,
  createSubscriberHooks,
  addExtensions,
}

/**
 * The definition of a server, without any client state. One instance serves any number of clients, transports
 * and protocol revisions at the same time.
 *
 * `Locals` is the type that every mount's `locals` option must return (`ctx.locals`). `App` is the type of the
 * value that `lifespan` returns (`ctx.app`).
 */
export class McpServer<Locals = unknown, App = unknown> extends ServerBase<Locals, App> {
  /** Notifies clients, outside a call, that lists or resources have changed, or with an extension's notifications. */
  readonly notify: Notifier
  /**
   * Sends log messages, outside a call, to the sessions whose clients have set the same or a lower level.
   * Clients that use 2026-07-28 receive log messages only within calls. `ctx.log` sends messages to the
   * client of a single call.
   */
  readonly log: LogSender
  readonly #followers: Set<ReturnType<typeof observe>> = new Set()
  #messages: MessageHandler | undefined

  // Without this member, JavaScript code ported from the official SDK would fail with "server.tool is not a
  // function".
  static {
    for (const kind of ['Tool', 'Resource', 'Prompt'])
      for (const name of [kind.toLowerCase(), `register${kind}`]) {
        const problem = `server.${name} is a method of the official SDK; here it is server.add${kind}({ name, …, handler })`
        const value = (): never => {
          throw usageError('ERR_MCP_OPTION', problem)
        }
        Object.defineProperty(this.prototype, name, { value })
      }
  }

  /** @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`, `ERR_MCP_INVALID_ICON` */
  constructor(info: Implementation, options: ServerOptions<App> = {}) {
    super(info, options, ALL_PARTS)
    const publish = (event: ChangeEvent): void => this.forward(event)
    this.notify = new Notifier(publish, this.features.added)
    this.log = logTo(publish)
    for (const { source } of options.extensions ?? [])
      if (source !== undefined) this.observe(source as Source<App, Locals>)
  }

  /**
   * Adds another registry's definitions, and follows its changes until `detach` is called or the server closes.
   * The definitions of a synchronous source are present when this method returns. For other sources, await
   * `ready`. Several changes result in one notification to clients. A definition that is invalid, or whose name
   * is already used, is omitted and logged. If the source fails, the error is logged, and the most recent
   * definitions remain registered.
   *
   * @throws `ERR_MCP_INVALID_DEFINITION` for an object that is not a source; `ERR_MCP_CYCLE` for a source that
   * contains this server
   */
  observe(source: Source<App, Locals>): Observation {
    if (source?.contains?.(this.runtime) === true)
      throw usageError('ERR_MCP_CYCLE', 'The source contains this server, which would contain itself')
    const follower = observe(source, {
      features: this.features,
      logger: this.logger,
      publish: (event) => this.forward(event),
      onDetach: () => this.#followers.delete(follower),
    })
    this.#followers.add(follower)
    return follower
  }

  protected override contains(runtime: object): boolean {
    return super.contains(runtime) || [...this.#followers].some((follower) => follower.contains(runtime))
  }

  override close(options?: { readonly deadline?: number }): Promise<void> {
    for (const follower of this.#followers) follower.stop()
    this.#followers.clear()
    return super.close(options)
  }

  /** Adds a resource template, with an RFC 6570 URI template. Throws like {@link addTool}. */
  addResourceTemplate<const Template extends string, R>(
    template: ResourceTemplateDefinition<Template, App, Locals, R> & Refuse<ReadProblem<R>>,
    options?: AddOptions,
  ): Handle<ResourceTemplateDefinition<Template, App, Locals>> {
    return this.features.resources.templates.registry.add(template, options)
  }
  /** @returns whether the template existed */
  removeResourceTemplate(uriTemplate: string): boolean {
    return this.features.resources.templates.registry.remove(uriTemplate)
  }
  /** Replaces all templates. */
  setResourceTemplates(templates: Iterable<AnyResourceTemplate<App, Locals>>): void {
    this.features.resources.templates.registry.set(templates)
  }

  /**
   * Handles one message from any source, such as a queue or a cloud function's event. There is neither a
   * mount nor a session. The client therefore receives no change notifications, and a handler can ask
   * questions only by returning them as a result that the client answers in a new request.
   *
   * @param message - JSON text, or the parsed value; batches are refused
   * @returns JSON text; undefined for notifications and responses. Never rejects because of the message
   * @throws `ERR_MCP_CLOSED` if the server was closed before its first message
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
   * Adds and removes definitions for one session, and notifies its client. The session is `ctx.session` in a
   * handler, or `session` in the `session:open` event.
   *
   * @throws `ERR_MCP_SESSION` for a session that belongs to another server
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
 * Creates a server with an explicit `Locals` type and an `App` type that is inferred from its `lifespan`. With
 * `new McpServer<Locals>(…)`, the compiler infers neither.
 *
 * `createServer<{ user: User }>()(info, { lifespan: () => openDatabase() })`
 */
export function createServer<Locals = unknown>(): <App = unknown>(
  info: Implementation,
  options?: ServerOptions<App>,
) => McpServer<Locals, App> {
  return (info, options) => new McpServer(info, options)
}
