import type { Source } from '@jetway/core'
import { type Awaitable, chain, memoize } from '@jetway/core/compose'
import { isObject, type Meta } from '@jetway/core/protocol'
import type { Logger } from '@jetway/core/stores'
import { cached, derive, type Prompt, type Resource, type Template, type Tool } from '../definitions.ts'
import { type Seen, seeing } from './inner.ts'
import { checkNaming, prefixed } from './names.ts'
import type { Described } from '../types.ts'
import { type Addresses, addressesOf, checkScheme, metaWith, uiWith } from './uris.ts'
import { valueWith } from './values.ts'
import { each, loggerOf, type SourceEvent, type ViewOptions, viewOf } from '../view.ts'

/** Options of {@link prefix}. */
export interface PrefixOptions<Locals = unknown, Inner = unknown> extends ViewOptions {
  /** Stands between the prefix and the name. @default '_' */
  readonly separator?: string
  /**
   * The maximum length of names, at least 40. A longer name is cut and ends with a digest. Model APIs accept 64
   * characters. @default names are not cut
   */
  readonly maxNameLength?: number
  /**
   * Whether resources and templates get addresses with the prefix: `data://x` becomes `orders+data://x`. The
   * addresses of user interfaces (`ui://`) always get it. @default false
   */
  readonly uris?: boolean
  /** Returns the `ctx.locals` of the source's definitions from those of the server. @default the same */
  readonly locals?: (locals: Locals) => Inner
}

/**
 * Puts a prefix before the names of a source's tools and prompts: `orders_refund`. The source itself is unchanged,
 * and its handlers see their own names and addresses. Addresses in lists, results and notifications are changed
 * together; addresses inside text are not.
 *
 * Views of MCP Apps call the tools of their server by the plain names, so tools that a view may call keep it as a
 * second name that is not listed.
 *
 * @throws `ERR_MCP_INVALID_NAME` for a name that model APIs refuse; `ERR_MCP_COMPOSE` for a name that cannot begin a
 * URI scheme, with `uris`; `ERR_MCP_OPTION`
 */
export function prefix<App = unknown, Inner = unknown, Locals = Inner>(
  name: string,
  source: Source<App, Inner> & Described,
  options: PrefixOptions<Locals, Inner> = {},
): Source<App, Locals> & Described {
  const { separator = '_', maxNameLength, uris = false } = options
  const naming = { prefix: name, separator, maxLength: maxNameLength }
  checkNaming(naming)
  if (uris) checkScheme(name)
  const logger = loggerOf(options)
  const addresses = addressesOf(name, uris)
  const to: Target = { addresses, listed: new Set(), locals: options.locals }
  const toPrompt = cached((prompt: Prompt, newName: string) => prefixPrompt(prompt, newName, to))
  const toResource = memoize((resource: Resource) => prefixResource(resource, to))
  const toTemplate = memoize((template: Template) => prefixTemplate(template, to))
  const changeTools = toolPrefixer(to)
  const view = viewOf(
    source,
    {
      tools: (tools) => chain(newNamesOf(tools, naming), (names) => changeTools(tools, names, logger)),
      prompts: (prompts) =>
        chain(newNamesOf(prompts, naming), (names) =>
          each(prompts, (prompt) => toPrompt(prompt, nameIn(names, prompt)), { logger, name: nameOf }),
        ),
      resources: (resources) => {
        to.listed = new Set(resources.map((resource) => resource.uri))
        return each(resources, toResource, { logger, name: (resource) => resource.uri })
      },
      resourceTemplates: (templates) =>
        each(templates, toTemplate, { logger, name: (template) => template.uriTemplate }),
      event: (event) => eventWith(event, addresses),
    },
    { title: `${source.title ?? name} (${name}${separator}…)` },
  )
  return view as Source<App, Locals>
}

type NewNames = ReadonlyMap<string, string>

/** Returns the new names of definitions by their present names. */
const newNamesOf = (
  definitions: readonly { readonly name: string }[],
  naming: Parameters<typeof prefixed>[1],
): Awaitable<NewNames> => {
  const names = definitions.map(nameOf)
  return chain(
    prefixed(names, naming),
    (newNames) => new Map(names.map((name, index) => [name, newNames[index] ?? name])),
  )
}

const nameOf = ({ name }: { readonly name: string }): string => name

const nameIn = (names: NewNames, { name }: { readonly name: string }): string => names.get(name) ?? name

const toolPrefixer = (to: Target) => {
  const toTool = cached((tool: Tool, given: NewTool) => prefixTool(tool, given, to))
  return (tools: readonly Tool[], names: NewNames, logger: Logger): readonly Tool[] => {
    const hasView = tools.some((tool) => uiOf(tool)?.['resourceUri'] !== undefined)
    const change = (tool: Tool): Tool =>
      toTool(tool, {
        name: nameIn(names, tool),
        related: tool.relatedTools?.map((related) => ({ ...related, name: nameIn(names, related) })),
        alias: tool.alias ?? (hasView && isForViews(tool) ? tool.name : undefined),
      })
    return each(tools, change, { logger, name: nameOf })
  }
}

interface Target {
  readonly addresses: Addresses
  /** The addresses that the source lists. */
  listed: ReadonlySet<string>
  readonly locals: Seen['locals']
}

interface NewTool {
  readonly name: string
  readonly related: Tool['relatedTools']
  readonly alias: string | undefined
}

const inResult =
  ({ addresses, listed }: Target) =>
  (uri: string): string =>
    addresses.inResult(uri, (it) => listed.has(it))

/** Changes the addresses in what a handler returns. */
function handlerWith<Definition extends Prompt | Resource | Template | Tool>(
  definition: Definition,
  list: Parameters<typeof valueWith>[1],
  { to, uri }: { readonly to: Target; readonly uri?: Seen['uri'] },
): Partial<Definition> {
  const members = seeing(definition, { locals: to.locals, ...(uri !== undefined && { uri }) })
  const run = members['handler'] as ((args: unknown, ctx: unknown) => unknown) | undefined
  // A server refuses a definition without a handler.
  if (run === undefined) return members as Partial<Definition>
  const handler = (args: unknown, ctx: unknown): unknown =>
    chain(run(args, ctx), (value) => valueWith(value, list, inResult(to)))
  return { ...members, handler } as Partial<Definition>
}

function prefixTool(tool: Tool, { name, related, alias }: NewTool, to: Target): Tool {
  const { outward } = to.addresses
  return derive<Tool>(tool, {
    ...handlerWith(tool, 'content', { to }),
    name,
    alias,
    relatedTools: related,
    ...(tool.ui !== undefined && { ui: uiWith(tool.ui, outward) }),
    _meta: metaWith(tool._meta, outward),
  })
}

const prefixPrompt = (prompt: Prompt, name: string, to: Target): Prompt =>
  derive<Prompt>(prompt, { ...handlerWith(prompt, 'messages', { to }), name })

/** Members of resources and templates with addresses. */
function addressed<Definition extends Resource | Template>(
  definition: Definition,
  to: Target,
): Partial<Definition> {
  const { inward } = to.addresses
  const { onSubscribe, onUnsubscribe } = definition
  return {
    ...handlerWith(definition, 'contents', { to, uri: inward }),
    ...(onSubscribe !== undefined && {
      onSubscribe: (uri: string, app: never) => onSubscribe.call(definition, inward(uri), app),
    }),
    ...(onUnsubscribe !== undefined && {
      onUnsubscribe: (uri: string, app: never) => onUnsubscribe.call(definition, inward(uri), app),
    }),
  }
}

const prefixResource = (resource: Resource, to: Target): Resource =>
  derive<Resource>(resource, { ...addressed(resource, to), uri: to.addresses.outward(resource.uri) })

function prefixTemplate(template: Template, to: Target): Template {
  const { outward } = to.addresses
  const members = addressed(template, to)
  const { list } = members
  return derive<Template>(template, {
    ...members,
    uriTemplate: outward(template.uriTemplate),
    ...(list !== undefined && {
      list: async (ctx) => (await list(ctx)).map((resource) => ({ ...resource, uri: outward(resource.uri) })),
    }),
  })
}

function eventWith(event: SourceEvent, { outward }: Addresses): SourceEvent {
  if (event.kind !== 'resource') return event
  const { within } = event
  return { ...event, uri: outward(event.uri), ...(within !== undefined && { within: outward(within) }) }
}

const uiOf = ({ ui, _meta }: Tool): Meta | undefined => {
  const given: unknown = ui ?? _meta?.['ui']
  return isObject(given) ? given : undefined
}

/** Whether a view may call the tool. https://github.com/modelcontextprotocol/ext-apps (2026-01-26) */
function isForViews(tool: Tool): boolean {
  const visibility = uiOf(tool)?.['visibility']
  return visibility === undefined || (Array.isArray(visibility) && visibility.includes('app'))
}
