import { isObject } from '../../protocol/jsonrpc.ts'
import type { Tool } from '../../protocol/types.ts'
import type { Logger } from '../../util/logger.ts'
import { checkToolName, invalid, type Subject } from '../registry/checks.ts'
import type { RelatedTool } from './tool-metadata.ts'

export interface RelatedEntry {
  readonly item: Tool
  /** The tool without its relations. */
  readonly alone: Tool
  readonly related: readonly RelatedTool[]
}

export interface Relations {
  /** Adds the related tools to the description and metadata. */
  describe(alone: Tool, related: readonly RelatedTool[]): Tool
  /** Logs unknown names, once for each tool that refers to them. */
  check(entries: readonly RelatedEntry[], has: (name: string) => boolean): void
  /** Removes the names of tools that are hidden from the caller. */
  readonly among: <Entry extends RelatedEntry>(
    seen: readonly Entry[],
    all: readonly Entry[],
  ) => readonly Entry[]
}

export function createRelations(options: {
  readonly inDescription: boolean
  readonly logger: Logger
}): Relations {
  const warned = new WeakSet<RelatedEntry>()
  let checked: readonly RelatedEntry[] | undefined
  const describe = (alone: Tool, related: readonly RelatedTool[]): Tool => {
    if (related.length === 0) return alone
    const _meta = { ...alone._meta, 'dev.jetway/relatedTools': related }
    if (!options.inDescription) return { ...alone, _meta }
    const lines = alone.description === undefined ? [] : [alone.description]
    return { ...alone, description: [...lines, sentence(related)].join('\n'), _meta }
  }
  return {
    describe,
    check: (entries, has) => {
      if (entries === checked) return
      checked = entries
      for (const entry of entries) {
        if (entry.related.length === 0 || warned.has(entry)) continue
        warned.add(entry)
        const unknown = entry.related.filter(({ name }) => !has(name)).map(({ name }) => name)
        if (unknown.length > 0)
          options.logger.warn(
            { tool: entry.item.name, unknown },
            'A tool names related tools that do not exist',
          )
      }
    },
    among: (seen, all) => {
      if (seen.length === all.length || seen.every(({ related }) => related.length === 0)) return seen
      const shown = new Set(seen.map(({ item }) => item.name))
      const hidden = new Set(all.map(({ item }) => item.name).filter((name) => !shown.has(name)))
      return seen.map((entry) => {
        const left = entry.related.filter(({ name }) => !hidden.has(name))
        return left.length === entry.related.length ? entry : { ...entry, item: describe(entry.alone, left) }
      })
    },
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
