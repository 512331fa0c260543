import type { CacheHints } from '../../protocol/revisions/revision.ts'
import type { Resource, ResourceTemplate } from '../../protocol/types.ts'
import type { CallContext } from '../../call/context.ts'
import { memoize } from '../../util/memoize.ts'
import type { Logger } from '../../util/logger.ts'
import type { Caching } from '../registry/caching.ts'
import {
  checkAnnotations,
  checkName,
  checkUri,
  invalid,
  MAX_URI_LENGTH,
  publish,
  type Subject,
} from '../registry/checks.ts'
import { OutputError } from '../content/protocol-results.ts'
import { type AnyCompleters, checkCompleters } from '../completers.ts'
import { type CompiledHandler, compileHandler } from '../registry/handler.ts'
import { type RegistrationContext, Registry } from '../registry/registry.ts'
import type { AnyResource, AnyResourceTemplate } from './resource-types.ts'
import { compileHooks } from './subscriber-hooks.ts'
import { compareSpecificity, parseUriTemplate, type UriTemplate } from '../uri-template/uri-template.ts'

interface ReadableEntry<Item> extends CompiledHandler {
  readonly item: Item
  readonly hooks: ReturnType<typeof compileHooks>
  /** The cache hints for reads that have no hints of their own. */
  readonly hints: CacheHints
}

/** A registered resource. */
export type ResourceEntry = ReadableEntry<Resource>

export type ListedResource = Pick<ResourceEntry, 'item' | 'visible'>

/** A registered template. */
export interface TemplateEntry extends ReadableEntry<ResourceTemplate> {
  readonly template: UriTemplate
  readonly complete: AnyCompleters | undefined
  readonly list: ((ctx: CallContext) => Promise<ListedResource[]>) | undefined
}

/** Compiles the members that resources and templates share. */
export const compileReads = (
  subject: Subject,
  definition: AnyResource | AnyResourceTemplate,
  logger: Logger,
  caching: Caching,
): Omit<ResourceEntry, 'item'> => ({
  ...compileHandler(subject, definition, logger),
  hooks: compileHooks(subject, definition),
  hints: caching.ofEntry(subject, definition),
})

interface TemplateMatch {
  readonly entry: TemplateEntry
  readonly variables: Readonly<Record<string, string | string[]>>
}

interface TemplateParts extends Pick<RegistrationContext, 'checkMembers'> {
  readonly buildTemplate?: typeof buildTemplate | undefined
}

/** Finds the template that matches a URI. */
export class ResourceTemplates {
  readonly registry: Registry<AnyResourceTemplate, TemplateEntry>
  readonly #sorted = memoize((entries: readonly TemplateEntry[]) =>
    entries.toSorted((a, b) => compareSpecificity(a.template, b.template)),
  )

  constructor(logger: Logger, caching: Caching, parts: TemplateParts) {
    const { buildTemplate: build = refuseTemplate } = parts
    this.registry = new Registry({
      kind: 'resource template',
      key: (definition) => definition.uriTemplate,
      checkMembers: parts.checkMembers,
      build: (definition) => build(definition, logger, caching),
    })
  }

  /** Returns the most specific matching template, even if it is hidden. */
  match(uri: string): TemplateMatch | undefined {
    for (const entry of this.#sorted(this.registry.entries())) {
      const variables = entry.template.match(uri)
      if (variables !== undefined) return { entry, variables }
    }
    return undefined
  }
}

function refuseTemplate({ uriTemplate }: AnyResourceTemplate): never {
  const subject = { kind: 'resource template', name: String(uriTemplate) }
  throw invalid(subject, 'needs a server made with McpServer of @jetway/core')
}

export function buildTemplate(
  definition: AnyResourceTemplate,
  logger: Logger,
  caching: Caching,
): TemplateEntry {
  const { uriTemplate, name, title, description, mimeType, annotations, icons, _meta, list } = definition
  const subject = { kind: 'resource template', name: String(uriTemplate ?? name) }
  if (typeof uriTemplate !== 'string') throw invalid(subject, 'needs a uriTemplate, such as "notes://{day}"')
  checkName('resource template', name)
  checkAnnotations(subject, annotations)
  const template = parseUriTemplate(uriTemplate)
  const complete = checkCompleters(subject, definition.complete, template.variables)
  const listed = list as ((ctx: CallContext) => unknown) | undefined
  return {
    item: publish(subject, {
      uriTemplate,
      name,
      title,
      description,
      mimeType,
      annotations,
      icons,
      _meta,
    }) as ResourceTemplate,
    template,
    complete,
    ...compileReads(subject, definition, logger, caching),
    list: listed && (async (ctx) => toListed(uriTemplate, await listed.call(definition, ctx))),
  }
}

/** Validates listed resources in the same way as registered ones, because clients receive both in one list. */
function toListed(uriTemplate: string, listed: unknown): ListedResource[] {
  if (!Array.isArray(listed))
    throw new OutputError(`The list of ${JSON.stringify(uriTemplate)} is not an array of resources`)
  return listed.map((resource) => ({ item: toItem(resource as Resource), visible: undefined }))
}

export function toItem(resource: Resource): Resource {
  const subject = { kind: 'resource', name: String(resource.uri ?? resource.name) }
  const { uri, name, title, description, mimeType, size, annotations, icons, _meta } = resource
  checkUri(subject, uri)
  if (uri.length > MAX_URI_LENGTH) {
    throw invalid(subject, `has a URI of more than ${MAX_URI_LENGTH} characters`)
  }
  checkName('resource', name)
  checkAnnotations(subject, annotations)
  const item = { uri, name, title, description, mimeType, size, annotations, icons, _meta }
  return publish(subject, item) as Resource
}
