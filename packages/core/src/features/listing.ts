import { usageError } from '../errors.ts'
import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { Prepared } from '../runtime/outcome.ts'
import { decodeCursor, encodeCursor, invalidCursor } from './cursor.ts'

/** Something with entries that are replaced, never changed. */
export interface ListSource<Entry> {
  readonly version: number
  entries(): readonly Entry[]
}

export interface ListingOptions<Entry, Item extends object> {
  /** The member of the result that holds the items. */
  readonly member: string
  readonly key: (entry: Entry) => string
  /** What a middleware sees. */
  readonly item: (entry: Entry) => Item
  readonly project: (revision: Revision, item: Item) => JsonObject
  /** Items per page; everything at once where undefined. */
  readonly pageSize: number | undefined
}

/** Answers the list methods: each entry is serialised once per revision, and an answer without pages is kept whole. */
export class Listing<Entry extends object, Item extends object> {
  readonly #options: ListingOptions<Entry, Item>
  readonly #fragments = new WeakMap<Entry, Map<Revision, string>>()
  readonly #wholes = new WeakMap<ListSource<Entry>, Map<Revision, { version: number; answer: Prepared }>>()
  #positions: { entries: readonly Entry[]; byKey: ReadonlyMap<string, number> } | undefined

  constructor(options: ListingOptions<Entry, Item>) {
    this.#options = options
    checkPageSize(options.pageSize)
  }

  list(source: ListSource<Entry>, params: JsonObject, revision: Revision): Prepared {
    const { cursor } = params
    if (cursor === undefined && this.#options.pageSize === undefined) return this.#whole(source, revision)
    return this.page(source.entries(), cursor, revision)
  }

  page(entries: readonly Entry[], cursor: unknown, revision: Revision): Prepared {
    const { member, key, pageSize = entries.length } = this.#options
    const start = cursor === undefined ? 0 : this.#after(entries, decodeCursor(member, cursor))
    const end = Math.min(start + pageSize, entries.length)
    const last = end < entries.length ? entries[end - 1] : undefined
    return this.#answer(entries.slice(start, end), revision, last && encodeCursor(member, key(last)))
  }

  #whole(source: ListSource<Entry>, revision: Revision): Prepared {
    let answers = this.#wholes.get(source)
    if (answers === undefined) this.#wholes.set(source, (answers = new Map()))
    const { version } = source
    const kept = answers.get(revision)
    if (kept?.version === version) return kept.answer
    const answer = this.#answer(source.entries(), revision, undefined)
    answers.set(revision, { version, answer })
    return answer
  }

  #answer(entries: readonly Entry[], revision: Revision, nextCursor: string | undefined): Prepared {
    const { member, item } = this.#options
    const items = entries.map((entry) => this.#fragment(entry, revision)).join(',')
    const next = nextCursor === undefined ? '' : `,"nextCursor":"${nextCursor}"`
    return new Prepared(`{"${member}":[${items}]${next}}`, () => ({
      [member]: entries.map(item),
      ...(nextCursor !== undefined && { nextCursor }),
    }))
  }

  #fragment(entry: Entry, revision: Revision): string {
    let byRevision = this.#fragments.get(entry)
    if (byRevision === undefined) this.#fragments.set(entry, (byRevision = new Map()))
    let fragment = byRevision.get(revision)
    if (fragment === undefined) {
      fragment = JSON.stringify(this.#options.project(revision, this.#options.item(entry)))
      byRevision.set(revision, fragment)
    }
    return fragment
  }

  #after(entries: readonly Entry[], key: string): number {
    if (this.#positions?.entries !== entries) {
      const byKey = new Map(entries.map((entry, index) => [this.#options.key(entry), index]))
      this.#positions = { entries, byKey }
    }
    const position = this.#positions.byKey.get(key)
    if (position === undefined) throw invalidCursor()
    return position + 1
  }
}

function checkPageSize(pageSize: number | undefined): void {
  if (pageSize === undefined || (Number.isSafeInteger(pageSize) && pageSize > 0)) return
  throw usageError('ERR_MCP_OPTION', 'The option pageSize must be a whole number above 0')
}
