import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject, Method } from '@jetway/core/protocol'
import type { ListKind } from './replay.ts'

/** Sends a request to a process, and resolves to the result. */
export type Request = (method: string, params: JsonObject) => Promise<JsonObject>

type Items = ReadonlyMap<string, JsonObject>

/** The lists of one process, as seen by one client. */
export type Lists = ReadonlyMap<string, Items>

interface ListSource {
  readonly name: string
  readonly method: string
  readonly kind: ListKind
  /** The member that identifies a list item. */
  readonly key: string
}

const SOURCES: readonly ListSource[] = [
  { name: 'tools', method: Method.ListTools, kind: 'tools', key: 'name' },
  { name: 'resources', method: Method.ListResources, kind: 'resources', key: 'uri' },
  { name: 'resourceTemplates', method: Method.ListResourceTemplates, kind: 'resources', key: 'uriTemplate' },
  { name: 'prompts', method: Method.ListPrompts, kind: 'prompts', key: 'name' },
]

/** The maximum number of a list's pages that are read and compared. */
const MAX_PAGES = 100
/** The maximum number of changes printed for one list. */
const MAX_PRINTED = 12

/** Thrown if the process exits before it responds. */
export class ProcessEnded extends Error {
  override name = 'ProcessEnded'

  constructor() {
    super('The process has ended')
  }
}

/**
 * Reads all lists. If the server does not provide a list, the list is treated as empty. Rejects with {@link
 * ProcessEnded}.
 */
export async function readLists(request: Request): Promise<Lists> {
  const lists = await Promise.all(
    SOURCES.map(async (source) => [source.name, await readList(source, request)] as const),
  )
  return new Map(lists)
}

async function readList({ name, method, key }: ListSource, request: Request): Promise<Items> {
  const items = new Map<string, JsonObject>()
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await request(method, cursor === undefined ? {} : { cursor }).catch((error: unknown) => {
      if (error instanceof ProcessEnded) throw error
      return undefined
    })
    const list = result?.[name]
    if (result === undefined || !Array.isArray(list)) break
    for (const item of list) if (isObject(item)) items.set(String(item[key]), item)
    cursor = result['nextCursor']
    if (cursor === undefined) break
  }
  return items
}

/** The differences between the lists of two processes. */
export interface ListChanges {
  readonly kinds: ReadonlySet<ListKind>
  /** One line for each list that differs: `tools: +refund -pay ~search(inputSchema)`. */
  readonly lines: readonly string[]
}

export function compareLists(before: Lists, after: Lists): ListChanges {
  const kinds = new Set<ListKind>()
  const lines: string[] = []
  for (const { name, kind } of SOURCES) {
    const changes = compareItems(before.get(name) ?? new Map(), after.get(name) ?? new Map())
    if (changes.length === 0) continue
    kinds.add(kind)
    const more = changes.length > MAX_PRINTED ? ` and ${changes.length - MAX_PRINTED} more` : ''
    lines.push(`${name}: ${changes.slice(0, MAX_PRINTED).join(' ')}${more}`)
  }
  return { kinds, lines }
}

function compareItems(before: Items, after: Items): readonly string[] {
  const added = [...after.keys()].filter((key) => !before.has(key)).map((key) => `+${key}`)
  const removed = [...before.keys()].filter((key) => !after.has(key)).map((key) => `-${key}`)
  const changed = [...after].flatMap(([key, item]) => {
    const old = before.get(key)
    const members = old === undefined ? [] : changedMembers(old, item)
    return members.length === 0 ? [] : [`~${key}(${members.join(', ')})`]
  })
  return [...added, ...removed, ...changed]
}

function changedMembers(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))
}
