import { methodNotFound, resourceNotFound } from '../../errors.ts'
import { type JsonObject } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import type { Resource, ResourceTemplate } from '../../protocol/types.ts'
import type { CallContext } from '../../call/context.ts'
import type { MethodEntry } from '../../call/method-table.ts'
import type { Lifespan } from '../../session/server-mounts.ts'
import type { Logger } from '../../util/logger.ts'
import { complete, type HandlerResult } from '../../call/result.ts'
import type { CacheHints } from '../../protocol/revisions/revision.ts'
import { isRelayed } from '../registry/brand.ts'
import { type CacheHint, type Caching, readHints } from '../registry/caching.ts'
import { uriIn } from '../registry/checks.ts'
import { isInputRequired, toNeedsInput } from '../tools/input-required.ts'
import { Listing } from '../registry/listing.ts'
import { type Awaitable, chain } from '../../util/promises.ts'
import { type RegistrationContext, Registry } from '../registry/registry.ts'
import { toReadResult } from './resource-contents.ts'
import {
  type buildTemplate,
  compileReads,
  type ListedResource,
  type ResourceEntry,
  ResourceTemplates,
  type TemplateEntry,
  toItem,
} from './resource-templates.ts'
import type { AnyResource } from './resource-types.ts'
import { sessionEntries, type SessionRegistry } from '../session-registry.ts'
import { type Guarded, ifVisible, visibleAmong } from '../registry/handler.ts'
import type { createSubscriberHooks, SubscriberHooks } from './subscriber-hooks.ts'

interface ResourcesOptions extends RegistrationContext {
  readonly buildTemplate?: typeof buildTemplate | undefined
  readonly createSubscriberHooks?: typeof createSubscriberHooks | undefined
  readonly lifespan?: Lifespan | undefined
}

/** A server's resources and templates, and the methods that serve them. */
export class Resources {
  readonly registry: Registry<AnyResource, ResourceEntry>
  readonly templates: ResourceTemplates
  readonly methods: readonly (readonly [string, MethodEntry])[]
  readonly #logger: Logger
  readonly #caching: Caching
  readonly #parts: Pick<ResourcesOptions, 'buildTemplate' | 'checkMembers'>
  readonly #watches: SubscriberHooks | undefined
  readonly #resourceList: Listing<ListedResource, Resource>
  readonly #templateList: Listing<TemplateEntry, ResourceTemplate>

  constructor(options: ResourcesOptions) {
    const { pageSize, logger, caching } = options
    this.#parts = options
    this.#logger = logger
    this.#caching = caching
    this.#watches = options.createSubscriberHooks?.(options)
    const { resources, templates } = this.createRegistries()
    this.registry = resources
    this.templates = templates
    this.#resourceList = new Listing<ListedResource, Resource>({
      member: 'resources',
      key: (resource) => resource.uri,
      project: (revision, resource) => revision.project('resource', resource),
      pageSize,
      caching,
    })
    this.#templateList = new Listing<TemplateEntry, ResourceTemplate>({
      member: 'resourceTemplates',
      key: (template) => template.uriTemplate,
      project: (revision, template) => revision.project('resourceTemplate', template),
      pageSize,
      caching,
    })
    this.methods = [
      [Method.ListResources, { handle: (params, ctx) => this.#listResources(params, ctx) }],
      [Method.ListResourceTemplates, { handle: (params, ctx) => this.#listTemplates(params, ctx) }],
      [
        Method.ReadResource,
        {
          handle: (params, ctx) => this.#read(params, ctx),
          target: (params, own) => this.target(params, own),
        },
      ],
    ]
  }

  /** Whether a resource or template was ever registered. */
  get offered(): boolean {
    return this.registry.offered || this.templates.registry.offered
  }

  /** Creates empty registries for the server or one session. */
  createRegistries(): Pick<SessionRegistry, 'resources' | 'templates'> {
    const logger = this.#logger
    const caching = this.#caching
    const resources = new Registry<AnyResource, ResourceEntry>({
      kind: 'resource',
      key: (definition) => definition.uri,
      checkMembers: this.#parts.checkMembers,
      build: (definition) => buildResource(definition, logger, caching),
    })
    return { resources, templates: new ResourceTemplates(logger, caching, this.#parts) }
  }

  /** Returns the resource or template that serves reads of the URI. */
  entryAt(uri: string, ctx: CallContext): Guarded | undefined {
    return this.#find(uri, sessionEntries(ctx))?.entry
  }

  /**
   * Counts a subscriber to the URI, so that its resource's hooks can run.
   *
   * @param own - the entries that are registered only for the subscriber's session
   * @returns a function that removes the subscriber; undefined if the resource has no hooks
   */
  watch(uri: string, own: object | undefined): (() => void) | undefined {
    const entry = this.#find(uri, own as SessionRegistry | undefined)?.entry
    if (entry?.hooks === undefined) return undefined
    const shared = this.#find(uri, undefined)?.entry === entry
    return this.#watches?.add(shared ? this : entry, uri, entry.hooks)
  }

  /**
   * Finds the entry for a URI. Fixed URIs take precedence over templates, and the session's entries over the
   * server's. The URI of a resource that is hidden from the caller is never matched against templates, because
   * a match would bypass the rule.
   */
  #find(uri: string, own: SessionRegistry | undefined): Match | undefined {
    const fixed = own?.resources.get(uri) ?? this.registry.get(uri)
    if (fixed !== undefined) return { entry: fixed, variables: {} }
    return own?.templates.match(uri) ?? this.templates.match(uri)
  }

  /**
   * Returns the `uri` of a request.
   *
   * @throws McpError `-32601` if there are no resources, `-32602` for a malformed URI
   */
  uriOf(params: JsonObject): string {
    if (!this.offered) throw methodNotFound()
    return uriIn(params)
  }

  #read(params: JsonObject, ctx: CallContext): Awaitable<HandlerResult> {
    const uri = this.uriOf(params)
    ctx.uri = uri
    const unknown = (): Error => resourceNotFound(uri)
    const found = this.#find(uri, sessionEntries(ctx))
    if (found === undefined) throw unknown()
    const { entry, variables } = found
    return ifVisible<HandlerResult>(entry, ctx, unknown, () => read(entry, variables, ctx))
  }

  /** See `MethodEntry.target`. */
  target({ uri }: JsonObject, own: object | undefined): Match['entry'] | undefined {
    return typeof uri === 'string' ? this.#find(uri, own as SessionRegistry | undefined)?.entry : undefined
  }

  #listTemplates(params: JsonObject, ctx: CallContext): Awaitable<HandlerResult> {
    if (!this.offered) throw methodNotFound()
    return this.#templateList.list(this.#templatesFor(ctx), params, ctx)
  }

  #listResources(params: JsonObject, ctx: CallContext): Awaitable<HandlerResult> {
    if (!this.offered) throw methodNotFound()
    const fixed = this.registry.entriesWith(sessionEntries(ctx)?.resources)
    const listers = this.#templatesFor(ctx).filter((entry) => entry.list !== undefined)
    if (listers.length === 0) return this.#resourceList.list(fixed, params, ctx)
    return this.#listAll(fixed, listers, params, ctx)
  }

  #templatesFor(ctx: CallContext): readonly TemplateEntry[] {
    return this.templates.registry.entriesWith(sessionEntries(ctx)?.templates.registry)
  }

  async #listAll(
    fixed: readonly ResourceEntry[],
    listers: readonly TemplateEntry[],
    params: JsonObject,
    ctx: CallContext,
  ): Promise<HandlerResult> {
    const shown = await visibleAmong(listers, ctx)
    const lists = await Promise.all(shown.map(async (entry) => (await entry.list?.(ctx)) ?? []))
    // Registered resources override listed ones, and later lists override earlier ones.
    const listed = new Map(lists.flat().map((entry) => [entry.item.uri, entry]))
    for (const { item } of fixed) listed.delete(item.uri)
    const varies = listers.some(({ visible }) => visible !== undefined) ? 'always' : 'perhaps'
    return this.#resourceList.list([...fixed, ...listed.values()], params, ctx, varies)
  }
}

interface Match {
  readonly entry: ResourceEntry | TemplateEntry
  readonly variables: Readonly<Record<string, string | string[]>>
}

function read(
  entry: ResourceEntry | TemplateEntry,
  args: object,
  ctx: CallContext,
): Awaitable<HandlerResult> {
  return chain(entry.handler.call(entry.definition, args, ctx), (value): HandlerResult => {
    if (isInputRequired(value)) return toNeedsInput(value)
    const hintsOf = (own: CacheHint | undefined): CacheHints =>
      readHints(entry, own, ctx.message.params ?? {})
    if (isRelayed(value))
      return value.result.kind === 'complete'
        ? { ...value.result, hints: hintsOf(value.result.hints) }
        : value.result
    const found = toReadResult(value, ctx.uri, entry.item.mimeType)
    if (found === undefined) throw resourceNotFound(ctx.uri)
    return { ...complete(found.result), hints: hintsOf(found.cache) }
  })
}

function buildResource(definition: AnyResource, logger: Logger, caching: Caching): ResourceEntry {
  const subject = { kind: 'resource', name: String(definition.uri ?? definition.name) }
  return { item: toItem(definition), ...compileReads(subject, definition, logger, caching) }
}
