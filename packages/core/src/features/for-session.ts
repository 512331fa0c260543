import type { ReadProblem, Refuse } from './content/result-types.ts'
import { usageError } from '../errors.ts'
import type { LogSender } from '../call/log.ts'
import type { SessionView } from '../call/request-context.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import { Session } from '../session/session.ts'
import type { AnySchema } from '../schema/types.ts'
import { type Features, notifyOfResources } from './features.ts'
import { logTo, Notifier } from './notifier.ts'
import type { AddOptions, Handle, Registry } from './registry/registry.ts'
import type { ResourceDefinition, ResourceTemplateDefinition } from './resources/resource-types.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { CheckTool, ToolDefinition, ToolReturn } from './tools/tool-types.ts'

/** The maximum number of definitions of each kind. It is limited because they use memory for every session. */
const MAX_OWN = 256

/**
 * Adds tools, resources and templates to one session until it closes, in addition to the server's. Only this
 * session's client is notified of changes. Definitions contain functions, so they stay in this process. Add
 * them in a listener for `session:open`, because it also runs when another process takes over the session.
 */
export class ForSession<Locals = unknown, App = unknown> {
  readonly #features: Features
  readonly #session: Session

  /** @internal */
  constructor(features: Features, session: Session) {
    this.#features = features
    this.#session = session
  }

  /** Notifies only this session's client, under the same conditions as `server.notify`. */
  get notify(): Notifier {
    return new Notifier((event) => this.#session.onChange(event), this.#features.added)
  }
  /**
   * Sends log messages only to this session's client, if their level is at least the level that the client
   * has set.
   */
  get log(): LogSender {
    return logTo((event) => this.#session.onChange(event))
  }

  /**
   * Adds a tool to this session, which can have up to 256.
   *
   * @throws the errors of `server.addTool`; `ERR_MCP_DUPLICATE_NAME` also if a server tool has the same name
   * and `replace` is not set; `ERR_MCP_SESSION` if the session has closed, has too many tools, or connected
   * before the server offered tools (call `server.setTools([])` to offer them)
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
    const own = this.#own('tools')
    return add(this.#features.tools.registry, own.tools, tool, options)
  }
  /** @returns whether the session had the tool */
  removeTool(name: string): boolean {
    return this.#registry?.tools.remove(name) ?? false
  }

  /** Adds a resource with a fixed URI to this session. Throws like {@link addTool}. */
  addResource<R>(
    resource: ResourceDefinition<App, Locals, R> & Refuse<ReadProblem<R>>,
    options?: AddOptions,
  ): Handle<ResourceDefinition<App, Locals>> {
    const own = this.#own('resources')
    return add(this.#features.resources.registry, own.resources, resource, options)
  }
  /** @returns whether the session had the resource */
  removeResource(uri: string): boolean {
    return this.#registry?.resources.remove(uri) ?? false
  }

  /**
   * Adds a resource template to this session. The template takes precedence over the server's templates.
   * Throws like {@link addTool}.
   */
  addResourceTemplate<const Template extends string, R>(
    template: ResourceTemplateDefinition<Template, App, Locals, R> & Refuse<ReadProblem<R>>,
    options?: AddOptions,
  ): Handle<ResourceTemplateDefinition<Template, App, Locals>> {
    const own = this.#own('resources')
    return add(this.#features.resources.templates.registry, own.templates.registry, template, options)
  }
  /** @returns whether the session had the template */
  removeResourceTemplate(uriTemplate: string): boolean {
    return this.#registry?.templates.registry.remove(uriTemplate) ?? false
  }

  get #registry(): SessionRegistry | undefined {
    return this.#session.registry as SessionRegistry | undefined
  }

  #own(kind: 'tools' | 'resources'): SessionRegistry {
    const session = this.#session
    if (session.closed) throw fault('The session has closed')
    // A client does not request tools that the server did not offer when the client connected.
    if (!session.record.listChanged.includes(kind)) {
      const offer = kind === 'tools' ? 'server.setTools([])' : 'server.setResources([])'
      throw fault(
        `The client connected before the server offered ${kind}; call ${offer} before clients connect`,
      )
    }
    if (this.#registry !== undefined) return this.#registry
    const own = this.#features.createSessionRegistry()
    // Before `notifications/initialized`, the client has not listed anything that could have changed.
    const notify = (changed: 'tools' | 'resources'): void => {
      if (session.record.initialized) session.onChange({ kind: changed })
    }
    own.tools.onChange(() => notify('tools'))
    notifyOfResources([own.resources, own.templates.registry], () => notify('resources'))
    own.resources.onUpdate((uri) => session.onChange({ kind: 'resource', uri }))
    session.registry = own
    return own
  }
}

function add<D extends object, Entry extends object, Given extends D>(
  shared: Registry<D, Entry>,
  own: Registry<D, Entry>,
  definition: Given,
  options: AddOptions = {},
): Handle<Given> {
  const key = shared.keyOf(definition)
  if (options.replace !== true && shared.get(key) !== undefined) throw shared.duplicate(key)
  if (own.get(key) === undefined && own.entries().length >= MAX_OWN)
    throw fault(`A session has at most ${MAX_OWN} entries of each kind; remove some of them first`)
  return own.add(definition, options)
}

/** @throws `ERR_MCP_SESSION` for a session that belongs to another server */
export function forSession<Locals, App>(
  features: Features,
  runtime: ServerRuntime,
  session: SessionView,
): ForSession<Locals, App> {
  if (session instanceof Session && session.servedBy(runtime)) return new ForSession(features, session)
  throw fault(
    'server.forSession takes the ctx.session of a call to this server; where there are no sessions it is undefined',
  )
}

const fault = (message: string): Error => usageError('ERR_MCP_SESSION', message)
