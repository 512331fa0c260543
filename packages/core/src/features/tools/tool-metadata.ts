import type { Meta, Tool, ToolAnnotations } from '../../protocol/types.ts'
import { isObject } from '../../protocol/jsonrpc.ts'
import { checkToolName, invalid, type Subject } from '../registry/checks.ts'
import type { AnyTool } from './tool-types.ts'
import type { Logger } from '../../util/logger.ts'
import { memoize } from '../../util/memoize.ts'

const SHORT_HINTS: readonly (readonly [short: string, name: keyof ToolAnnotations])[] = [
  ['readOnly', 'readOnlyHint'],
  ['destructive', 'destructiveHint'],
  ['idempotent', 'idempotentHint'],
  ['openWorld', 'openWorldHint'],
]

/**
 * Converts short names to the specification's names. Undefined hints are omitted, because clients then apply
 * their defaults.
 */
export function normaliseHints(subject: Subject, given: AnyTool['annotations']): ToolAnnotations | undefined {
  if (given === undefined) return undefined
  if (!isObject(given)) throw invalid(subject, 'needs an object as its annotations')
  const hints: Record<string, unknown> = { ...given }
  if (hints['title'] !== undefined && typeof hints['title'] !== 'string')
    throw invalid(subject, 'needs a string as its annotations.title')
  for (const [short, name] of SHORT_HINTS) {
    const said = [hints[short], hints[name]].filter((hint) => hint !== undefined)
    if (said.some((hint) => typeof hint !== 'boolean'))
      throw invalid(subject, `needs a boolean as its annotations.${name}`)
    if (said.length === 2 && said[0] !== said[1])
      throw invalid(subject, `says two things with ${short} and ${name}`)
    delete hints[short]
    hints[name] = said[0]
  }
  const kept = Object.entries(hints).filter(([, hint]) => hint !== undefined)
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as ToolAnnotations)
}

/** Adds the metadata, except for the related tools, to `_meta`. */
export function toMeta(
  subject: Subject,
  { priority, cacheControl, _meta }: Pick<AnyTool, 'priority' | 'cacheControl' | '_meta'>,
): Meta | undefined {
  if (priority !== undefined && !Number.isSafeInteger(priority))
    throw invalid(subject, 'needs a whole number as its priority')
  if (cacheControl !== undefined && cacheControl !== 'ephemeral')
    throw invalid(subject, 'knows no cacheControl but "ephemeral"')
  if (priority === undefined && cacheControl === undefined) return _meta
  return {
    ..._meta,
    ...(priority !== undefined && { 'dev.jetway/priority': priority }),
    ...(cacheControl !== undefined && { 'dev.jetway/cacheControl': cacheControl }),
  }
}

/**
 * Returns a tool's display name: its title, the title in its annotations, or its name.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#tool
 */
export const displayName = (tool: {
  readonly name: string
  readonly title?: string | undefined
  readonly annotations?: { readonly title?: string | undefined } | undefined
}): string => tool.title || tool.annotations?.title || tool.name

/** Sorts by priority (highest first), then by name, so that the order is the same on every node. */
export function byPriority<Entry extends { readonly item: Tool; readonly priority: number }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.toSorted(
    (a, b) => b.priority - a.priority || (a.item.name < b.item.name ? -1 : Number(a.item.name > b.item.name)),
  )
}

/** @throws `ERR_MCP_INVALID_DEFINITION` */
export function checkTaskSupport(
  subject: Subject,
  { taskSupport, immediateResponse }: Pick<AnyTool, 'taskSupport' | 'immediateResponse'>,
): {
  readonly taskSupport: 'optional' | 'required' | undefined
  readonly immediateResponse: string | undefined
} {
  const runs = taskSupport === 'optional' || taskSupport === 'required'
  if (!runs && taskSupport !== undefined && taskSupport !== 'forbidden')
    throw invalid(subject, 'needs "forbidden", "optional" or "required" as its taskSupport')
  if (immediateResponse !== undefined && !(runs && typeof immediateResponse === 'string'))
    throw invalid(
      subject,
      'can have an immediateResponse, a string, only with a taskSupport of "optional" or "required"',
    )
  return { taskSupport: runs ? taskSupport : undefined, immediateResponse }
}

interface AliasedEntry {
  readonly item: Tool
  readonly alias: string | undefined
}

/** Returns a function that finds a tool by its second name. */
export function createAliases<Entry extends AliasedEntry>(
  registry: { entries(): readonly Entry[] },
  logger: Logger,
): (name: unknown) => Entry | undefined {
  const aliases = memoize((entries: readonly Entry[]) => aliasesOf(entries, logger))
  return (name) => aliases(registry.entries()).get(name as string)
}

/** Returns the tools by their second names, without the names that several tools claim. */
function aliasesOf<Entry extends AliasedEntry>(
  entries: readonly Entry[],
  logger: Logger,
): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>()
  const claimed = new Set<string>()
  for (const entry of entries) {
    const { alias, item } = entry
    if (alias === undefined) continue
    const other = found.get(alias)?.item.name
    if (other !== undefined)
      logger.warn({ alias, tools: [other, item.name] }, 'Two tools claim the same alias, so it names neither')
    if (other !== undefined) claimed.add(alias)
    found.set(alias, entry)
  }
  for (const alias of claimed) found.delete(alias)
  return found
}

type RelatedTool = NonNullable<AnyTool['relatedTools']>[number]

interface RelatedEntry {
  readonly item: Tool
  /** The tool without its `relatedTools`. */
  readonly alone: Tool
  readonly related: readonly RelatedTool[]
}

/** Finds the tools that other tools name as related. */
export class Relations {
  readonly #options: { readonly inDescription: boolean; readonly logger: Logger }
  readonly #warned = new WeakSet<RelatedEntry>()
  #checked: readonly RelatedEntry[] | undefined

  constructor(options: { readonly inDescription: boolean; readonly logger: Logger }) {
    this.#options = options
  }

  /** Adds the related tools to the description and metadata. */
  describe(alone: Tool, related: readonly RelatedTool[]): Tool {
    if (related.length === 0) return alone
    const _meta = { ...alone._meta, 'dev.jetway/relatedTools': related }
    if (!this.#options.inDescription) return { ...alone, _meta }
    const lines = alone.description === undefined ? [] : [alone.description]
    return { ...alone, description: [...lines, sentence(related)].join('\n'), _meta }
  }

  /** Logs unknown names, once for each tool that names them. */
  check(entries: readonly RelatedEntry[], has: (name: string) => boolean): void {
    if (entries === this.#checked) return
    this.#checked = entries
    for (const entry of entries) {
      if (entry.related.length === 0 || this.#warned.has(entry)) continue
      this.#warned.add(entry)
      const unknown = entry.related.filter(({ name }) => !has(name)).map(({ name }) => name)
      if (unknown.length === 0) continue
      const fields = { tool: entry.item.name, unknown }
      this.#options.logger.warn(fields, 'A tool names related tools that do not exist')
    }
  }

  /** Removes hidden tools from the `relatedTools` of the tools that the caller sees. */
  among<Entry extends RelatedEntry>(seen: readonly Entry[], all: readonly Entry[]): readonly Entry[] {
    if (seen.length === all.length || seen.every(({ related }) => related.length === 0)) return seen
    const shown = new Set(seen.map(({ item }) => item.name))
    const hidden = new Set(all.map(({ item }) => item.name).filter((name) => !shown.has(name)))
    return seen.map((entry) => {
      const left = entry.related.filter(({ name }) => !hidden.has(name))
      return left.length === entry.related.length
        ? entry
        : { ...entry, item: this.describe(entry.alone, left) }
    })
  }
}

function sentence(related: readonly RelatedTool[]): string {
  const parts = [
    ['Related tools', 'related'],
    ['Suggested next', 'suggested'],
  ].map(([label, relation]) => {
    const names = related.filter((it) => it.relation === relation).map(({ name }) => name)
    return names.length === 0 ? [] : [`${label}: ${names.join(', ')}.`]
  })
  return parts.flat().join(' ')
}

export function checkRelated(subject: Subject, given: unknown): readonly RelatedTool[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw invalid(subject, 'needs its relatedTools in an array')
  return (given as unknown[]).map((item) => {
    const { name, relation } = isObject(item) ? item : {}
    checkToolName(name)
    if (relation === 'related' || relation === 'suggested') return { name: name as string, relation }
    throw invalid(subject, `needs a relation of "related" or "suggested" to the tool "${String(name)}"`)
  })
}
