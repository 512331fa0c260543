import type { Meta, Tool, ToolAnnotations } from '../../protocol/types.ts'
import { isObject } from '../../protocol/jsonrpc.ts'
import { invalid, type Subject } from '../registry/checks.ts'

/** Hints about a tool, with the names of the specification or shorter ones. */
export interface ToolHints extends ToolAnnotations {
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
}

/** Metadata beyond the specification, published in `_meta`. */
export interface ToolMetadata {
  /**
   * A whole number. With the server's `tools.orderByPriority` higher ones come first. Published as
   * `dev.jetway/priority`.
   * @default 0, not published
   */
  readonly priority?: number
  /** Related tools, published as `dev.jetway/relatedTools` without those that are hidden from the caller. */
  readonly relatedTools?: readonly RelatedTool[]
  /** `ephemeral`: clients must not reuse results for another call. Published as `dev.jetway/cacheControl`. */
  readonly cacheControl?: 'ephemeral'
}

/** `related`, or `suggested` as the next tool to call. */
export interface RelatedTool {
  readonly name: string
  readonly relation: 'related' | 'suggested'
}

const SHORT_HINTS: readonly (readonly [keyof ToolHints, keyof ToolAnnotations])[] = [
  ['readOnly', 'readOnlyHint'],
  ['destructive', 'destructiveHint'],
  ['idempotent', 'idempotentHint'],
  ['openWorld', 'openWorldHint'],
]

/** Converts short names to those of the specification. Omits undefined hints, because clients have defaults. */
export function normaliseHints(subject: Subject, given: ToolHints | undefined): ToolAnnotations | undefined {
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

/** Adds the metadata, without the relations, to `_meta`. */
export function toMeta(
  subject: Subject,
  { priority, cacheControl, _meta }: ToolMetadata & { readonly _meta?: Meta | undefined },
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
 * Returns the name of a tool for people: its title, the title in its annotations, or its name.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#tool
 */
export const displayName = (tool: {
  readonly name: string
  readonly title?: string | undefined
  readonly annotations?: { readonly title?: string | undefined } | undefined
}): string => tool.title || tool.annotations?.title || tool.name

/** Sorts by priority, highest first, then by name, so that the order is the same on every node. */
export function byPriority<Entry extends { readonly item: Tool; readonly priority: number }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.toSorted(
    (a, b) => b.priority - a.priority || (a.item.name < b.item.name ? -1 : Number(a.item.name > b.item.name)),
  )
}
