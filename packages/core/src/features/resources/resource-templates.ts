import type { CacheHints } from '../../protocol/revisions/revision.ts'
import type { ResourceTemplate } from '../../protocol/types.ts'
import type { CallContext } from '../../call/context.ts'
import { memoize } from '../../util/memoize.ts'
import type { Logger } from '../../util/logger.ts'
import type { Caching } from '../registry/caching.ts'
import { checkAnnotations, checkName, invalid, publish } from '../registry/checks.ts'
import { checkCompleters } from '../completers.ts'
import type { AnyCompleters } from '../completion-types.ts'
import { type CompiledHandler, compileHandler } from '../registry/compile-handler.ts'
import { Registry } from '../registry/registry.ts'
import type { AnyResourceTemplate } from './resource-types.ts'
import { compileHooks, type CompiledHooks } from './subscriber-hooks.ts'
import { compareSpecificity, parseUriTemplate, type UriTemplate } from '../uri-template/uri-template.ts'

/** A template as it is kept. */
export interface TemplateEntry extends CompiledHandler {
  readonly item: ResourceTemplate
  readonly template: UriTemplate
  readonly complete: AnyCompleters | undefined
  readonly hooks: CompiledHooks | undefined
  readonly hints: CacheHints
  readonly list: ((ctx: CallContext) => unknown) | undefined
}

export interface TemplateMatch {
  readonly entry: TemplateEntry
  readonly variables: Readonly<Record<string, string | string[]>>
}

/** The templates of a server, and which of them an address belongs to. */
export class ResourceTemplates {
  readonly registry: Registry<AnyResourceTemplate, TemplateEntry>
  readonly #sorted = memoize((entries: readonly TemplateEntry[]) =>
    entries.toSorted((a, b) => compareSpecificity(a.template, b.template)),
  )

  constructor(logger: Logger, caching: Caching, build: typeof buildTemplate = refuseTemplate) {
    this.registry = new Registry({
      kind: 'resource template',
      key: (definition) => definition.uriTemplate,
      build: (definition) => build(definition, logger, caching),
    })
  }

  /** The most specific one that matches. A less specific one is never asked instead. */
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

/** Checks a template and prepares it for use. */
export function buildTemplate(
  definition: AnyResourceTemplate,
  logger: Logger,
  caching: Caching,
): TemplateEntry {
  const { uriTemplate, name, title, description, mimeType, annotations, icons, _meta, list } = definition
  const subject = { kind: 'resource template', name: String(uriTemplate) }
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
    ...compileHandler(subject, definition, logger),
    hooks: compileHooks(subject, definition),
    hints: caching.ofEntry(subject, definition),
    list: listed && ((ctx) => listed.call(definition, ctx)),
  }
}
