import { invalidParams, methodNotFound, resourceNotFound } from '../errors.ts'
import { type JsonObject } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import type { Resource, ResourceTemplate } from '../protocol/types.ts'
import type { CallContext } from '../runtime/context.ts'
import type { MethodEntry } from '../runtime/dispatcher.ts'
import type { Logger } from '../runtime/logger.ts'
import { complete, type Outcome } from '../runtime/outcome.ts'
import {
  checkAnnotations,
  checkHandler,
  checkIcons,
  checkName,
  checkTimeout,
  checkUri,
  fault,
  publish,
} from './checks.ts'
import { isInputRequired, toNeedsInput } from './input-required.ts'
import { Listing } from './listing.ts'
import { OutputError } from './output-error.ts'
import { isPromiseLike } from './promise-like.ts'
import { Registry } from './registry.ts'
import { toReadResult } from './resource-contents.ts'
import { ResourceTemplates, type TemplateEntry } from './resource-templates.ts'
import type { AnyResource } from './resource-types.ts'
import { compileVisible, type Guarded, ifVisible, visibleAmong } from './visibility.ts'

/** A resource as it is kept, or as a template listed it. */
export interface ResourceEntry extends Guarded {
  readonly item: Resource
  readonly timeoutMs: number | undefined
  handle(args: unknown, ctx: CallContext): unknown
}

type ListedResource = Pick<ResourceEntry, 'item' | 'visible'>

/** Longer addresses are refused before anything is matched against them. */
const MAX_URI_LENGTH = 8192

/** The resources of a server, fixed and by template, and the methods that serve them. */
export class Resources {
  readonly registry: Registry<AnyResource, ResourceEntry>
  readonly templates: ResourceTemplates
  readonly methods: readonly (readonly [string, MethodEntry])[]
  readonly #resourceList: Listing<ListedResource, Resource>
  readonly #templateList: Listing<TemplateEntry, ResourceTemplate>

  constructor({ pageSize, logger }: { readonly pageSize: number | undefined; readonly logger: Logger }) {
    this.registry = new Registry({
      kind: 'resource',
      key: (definition) => definition.uri,
      build: (definition) => buildResource(definition, logger),
    })
    this.templates = new ResourceTemplates(logger)
    this.#resourceList = new Listing<ListedResource, Resource>({
      member: 'resources',
      key: (entry) => entry.item.uri,
      item: (entry) => entry.item,
      project: (revision, resource) => revision.projectResource(resource),
      pageSize,
    })
    this.#templateList = new Listing<TemplateEntry, ResourceTemplate>({
      member: 'resourceTemplates',
      key: (entry) => entry.item.uriTemplate,
      item: (entry) => entry.item,
      project: (revision, template) => revision.projectResourceTemplate(template),
      pageSize,
    })
    this.methods = [
      [Method.ListResources, { handle: (params, ctx) => this.#listResources(params, ctx) }],
      [Method.ListResourceTemplates, { handle: (params, ctx) => this.#listTemplates(params, ctx) }],
      [
        Method.ReadResource,
        {
          handle: (params, ctx) => this.#read(params, ctx),
          timeoutMs: (params) => this.#timeoutOf(params['uri']),
        },
      ],
    ]
  }

  /** Whether a resource or template was ever registered. */
  get offered(): boolean {
    return this.registry.offered || this.templates.registry.offered
  }

  /**
   * What a read of the address would reach. A resource that is hidden from the caller leaves its address to no template,
   * which would serve it without the rule.
   */
  at(uri: string): Guarded | undefined {
    return this.registry.get(uri) ?? this.templates.match(uri)?.entry
  }

  /**
   * The `uri` of a request.
   *
   * @throws McpError `-32601` where there are no resources, `-32602` for a malformed one
   */
  uriOf(params: JsonObject): string {
    if (!this.offered) throw methodNotFound()
    const { uri } = params
    if (typeof uri !== 'string') throw invalidParams('The member "uri" must be a string')
    if (uri.length > MAX_URI_LENGTH)
      throw invalidParams(`The URI is longer than ${MAX_URI_LENGTH} characters`)
    return uri
  }

  #read(params: JsonObject, ctx: CallContext): Outcome | Promise<Outcome> {
    const uri = this.uriOf(params)
    ctx.uri = uri
    const unknown = (): Error => resourceNotFound(uri)
    const resource = this.registry.get(uri)
    if (resource !== undefined)
      return ifVisible<Outcome>(resource, ctx, unknown, () => read(resource, {}, ctx))
    const match = this.templates.match(uri)
    if (match === undefined) throw unknown()
    return ifVisible<Outcome>(match.entry, ctx, unknown, () => read(match.entry, match.variables, ctx))
  }

  #timeoutOf(uri: unknown): number | undefined {
    if (typeof uri !== 'string') return undefined
    const entry = this.registry.get(uri) ?? this.templates.match(uri)?.entry
    return entry?.timeoutMs
  }

  #listTemplates(params: JsonObject, ctx: CallContext): Outcome | Promise<Outcome> {
    if (!this.offered) throw methodNotFound()
    return this.#templateList.list(this.templates.registry, params, ctx)
  }

  #listResources(params: JsonObject, ctx: CallContext): Outcome | Promise<Outcome> {
    if (!this.offered) throw methodNotFound()
    const listers = this.templates.registry.entries().filter((entry) => entry.list !== undefined)
    if (listers.length === 0) return this.#resourceList.list(this.registry, params, ctx)
    return this.#listAll(listers, params, ctx)
  }

  async #listAll(listers: readonly TemplateEntry[], params: JsonObject, ctx: CallContext): Promise<Outcome> {
    const asked = await visibleAmong(listers, ctx)
    const lists = await Promise.all(asked.map((entry) => listOf(entry, ctx)))
    const listed = lists.flat().filter(({ item }) => this.registry.get(item.uri) === undefined)
    const unique = new Map<string, ListedResource>()
    for (const entry of [...this.registry.entries(), ...listed]) unique.set(entry.item.uri, entry)
    return this.#resourceList.page([...unique.values()], params, ctx)
  }
}

function read(
  entry: { readonly item: { readonly mimeType?: string }; handle(args: unknown, ctx: CallContext): unknown },
  args: object,
  ctx: CallContext,
): Outcome | Promise<Outcome> {
  const toOutcome = (value: unknown): Outcome => {
    if (value === undefined) throw resourceNotFound(ctx.uri)
    if (isInputRequired(value)) return toNeedsInput(value)
    return complete(toReadResult(value, ctx.uri, entry.item.mimeType))
  }
  const returned = entry.handle(args, ctx)
  return isPromiseLike(returned) ? Promise.resolve(returned).then(toOutcome) : toOutcome(returned)
}

/** What a template's `list` gives is checked like a registered resource: clients read both in one list. */
async function listOf(entry: TemplateEntry, ctx: CallContext): Promise<ListedResource[]> {
  const listed: unknown = await entry.list?.(ctx)
  if (!Array.isArray(listed)) {
    throw new OutputError(
      `The list of the resource template ${JSON.stringify(entry.item.uriTemplate)} is not an array`,
    )
  }
  return listed.map((resource) => ({ item: toItem(resource as Resource), visible: undefined }))
}

function toItem(resource: Resource): Resource {
  const subject = { kind: 'resource', name: String(resource.uri) }
  const { uri, name, title, description, mimeType, size, annotations, icons, _meta } = resource
  checkUri(subject, uri)
  if (uri.length > MAX_URI_LENGTH) {
    throw fault(subject, 'ERR_MCP_INVALID_DEFINITION', `has a URI of more than ${MAX_URI_LENGTH} characters`)
  }
  checkName('resource', name)
  checkIcons(subject, icons)
  checkAnnotations(subject, annotations)
  return publish(subject, {
    uri,
    name,
    title,
    description,
    mimeType,
    size,
    annotations,
    icons,
    _meta,
  }) as Resource
}

function buildResource(definition: AnyResource, logger: Logger): ResourceEntry {
  const subject = { kind: 'resource', name: String(definition.uri) }
  const item = toItem(definition)
  checkHandler(subject, definition.handler)
  checkTimeout(subject, definition.timeoutMs)
  const run = definition.handler as unknown as (args: unknown, ctx: CallContext) => unknown
  return {
    item,
    visible: compileVisible(subject, definition, logger),
    timeoutMs: definition.timeoutMs,
    handle: (args, ctx) => run.call(definition, args, ctx),
  }
}
