import { usageError } from '../errors.ts'
import type { SessionView } from '../call/request-context.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import { Session } from '../session/session.ts'
import type { AnySchema } from '../schema/types.ts'
import { type Features, notifyOfResources } from './features.ts'
import type { AddOptions, Handle, Registry } from './registry/registry.ts'
import type { ResourceDefinition, ResourceTemplateDefinition } from './resources/resource-types.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { ToolDefinition } from './tools/tool-types.ts'

/** Of each kind. What has to be built for one client should be little. */
const MAX_OWN = 256

/**
 * What one session has beside what its server offers to everybody: in its lists and for its calls alone, until it
 * closes. Its client is told of changes, no other is. Definitions have functions in them, so they stay in this process:
 * one that takes a session over finds none, and adds them in a listener of `session:open`.
 */
export class ForSession<Locals = unknown, App = unknown> {
  readonly #features: Features
  readonly #session: Session

  /** @internal */
  constructor(features: Features, session: Session) {
    this.#features = features
    this.#session = session
  }

  /**
   * Offers a tool to this session; at most 256.
   *
   * @throws what `server.addTool` throws, `ERR_MCP_DUPLICATE_NAME` also for a name that the server itself has unless
   *   `replace` is set; `ERR_MCP_SESSION` where the session has closed, has too many, or its client was not promised
   *   tools when it connected (`server.setTools([])` promises them)
   */
  addTool<
    const I extends AnySchema | undefined = undefined,
    const O extends AnySchema | undefined = undefined,
    A = {},
  >(
    tool: ToolDefinition<I, O, App, Locals, A>,
    options?: AddOptions,
  ): Handle<ToolDefinition<I, O, App, Locals, A>> {
    this.#mayHave('tools')
    return this.#add(this.#features.tools.registry, this.#offers().tools, tool, options)
  }
  /** @returns whether the session had one */
  removeTool(name: string): boolean {
    return this.#known()?.tools.remove(name) ?? false
  }

  /** Offers a resource at a fixed address to this session. Throws like {@link addTool}. */
  addResource(
    resource: ResourceDefinition<App, Locals>,
    options?: AddOptions,
  ): Handle<ResourceDefinition<App, Locals>> {
    this.#mayHave('resources')
    return this.#add(this.#features.resources.registry, this.#offers().resources, resource, options)
  }
  /** @returns whether the session had one */
  removeResource(uri: string): boolean {
    return this.#known()?.resources.remove(uri) ?? false
  }

  /** Offers resources by template to this session; they come before the server's templates. Throws like {@link addTool}. */
  addResourceTemplate<const Template extends string>(
    template: ResourceTemplateDefinition<Template, App, Locals>,
    options?: AddOptions,
  ): Handle<ResourceTemplateDefinition<Template, App, Locals>> {
    this.#mayHave('resources')
    const { registry } = this.#features.resources.templates
    return this.#add(registry, this.#offers().templates.registry, template, options)
  }
  /** @returns whether the session had one */
  removeResourceTemplate(uriTemplate: string): boolean {
    return this.#known()?.templates.registry.remove(uriTemplate) ?? false
  }

  #add<D extends object, Entry extends object, Given extends D>(
    everybodys: Registry<D, Entry>,
    own: Registry<D, Entry>,
    definition: Given,
    options: AddOptions = {},
  ): Handle<Given> {
    const key = everybodys.keyOf(definition)
    if (options.replace !== true && everybodys.get(key) !== undefined) throw everybodys.duplicate(key)
    if (own.get(key) === undefined && own.entries().length >= MAX_OWN)
      throw fault(`A session has at most ${MAX_OWN} entries of each kind; remove some of them first`)
    return own.add(definition, options)
  }

  /** A client that saw no capability for tools when it connected asks for none. */
  #mayHave(kind: 'tools' | 'resources'): void {
    if (this.#session.closed) throw fault('The session has closed')
    if (this.#session.record.listChanged.includes(kind)) return
    const offer = kind === 'tools' ? 'server.setTools([])' : 'server.setResources([])'
    throw fault(
      `The client connected before the server offered ${kind}; call ${offer} before clients connect`,
    )
  }

  #known(): SessionRegistry | undefined {
    return this.#session.registry as SessionRegistry | undefined
  }

  #offers(): SessionRegistry {
    const known = this.#known()
    if (known !== undefined) return known
    const session = this.#session
    const offers = this.#features.createOffers()
    // Before it has said that it is ready, a client has listed nothing that could have changed.
    const tell = (kind: 'tools' | 'resources'): void => {
      if (session.record.initialized) session.onChange({ kind })
    }
    offers.tools.onChange(() => tell('tools'))
    notifyOfResources(offers.resources, offers.templates.registry, () => tell('resources'))
    session.registry = offers
    return offers
  }
}

/** @throws `ERR_MCP_SESSION` for what is no session of this server */
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
