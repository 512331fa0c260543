import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { CacheHints, Revision } from '../../protocol/revisions/revision.ts'
import type { CallContext } from '../../call/context.ts'
import { SerializedResult } from '../../call/result.ts'
import { type Awaitable, chain } from '../../util/promises.ts'
import { memoize } from '../../util/memoize.ts'
import type { CacheKind, Caching, Varies } from './caching.ts'
import { type Guarded, visibleAmong } from './handler.ts'
import { invalidParams } from '../../errors.ts'
import { fromBase64Url, toBase64Url } from '../../util/bytes.ts'

interface Listed<Item> extends Guarded {
  /** The definition as sent to clients, before it is adapted to a revision. */
  readonly item: Item
}

interface ListingOptions<Entry extends Listed<Item>, Item> {
  /** The member of the result that contains the items. */
  readonly member: CacheKind
  readonly key: (item: Item) => string
  readonly project: (revision: Revision, item: Item) => JsonObject
  /** The number of items per page; undefined for a single page. */
  readonly pageSize: number | undefined
  readonly caching: Caching
  /** Modifies the entries in a caller's list if other entries are hidden from that caller. */
  readonly among?: (seen: readonly Entry[], all: readonly Entry[]) => readonly Entry[]
}

/**
 * Serves the list methods. Each entry is serialised once per revision, as is a list without pages or rules.
 * Entries and lists can be cached because they are immutable: a change creates new ones.
 */
export class Listing<Entry extends Listed<Item>, Item extends object> {
  readonly #options: ListingOptions<Entry, Item>
  readonly #fragments = memoize((_entry: Entry) => new Map<Revision, string>())
  readonly #answers = memoize((_entries: readonly Entry[]) => new Map<Revision, SerializedResult>())
  readonly #isOpen = memoize((entries: readonly Entry[]) =>
    entries.every(({ visible }) => visible === undefined),
  )
  readonly #positions = memoize(
    (entries: readonly Entry[]) =>
      new Map(entries.map((entry, index) => [this.#options.key(entry.item), index])),
  )

  constructor(options: ListingOptions<Entry, Item>) {
    this.#options = options
  }

  /**
   * Returns a page. Only visible entries count, so that a cursor does not reveal hidden entries.
   *
   * @param varies - whether the list differs between callers, apart from its entries' rules
   */
  list(
    entries: readonly Entry[],
    { cursor }: JsonObject,
    ctx: CallContext,
    varies: Varies = 'never',
  ): Awaitable<SerializedResult> {
    const { member, pageSize, caching, among } = this.#options
    const isOpen = this.#isOpen(entries)
    // The scope depends on whether there are rules, not on their outcome for this caller, so that all pages
    // have the same scope.
    const hints = caching.of(member, isOpen ? varies : 'always')
    if (isOpen && cursor === undefined && pageSize === undefined)
      return this.#whole(entries, ctx.revision, hints)
    return chain(visibleAmong(entries, ctx), (seen) => {
      const shown = among === undefined || seen === entries ? seen : among(seen, entries)
      return this.#page(shown, cursor, ctx.revision, hints)
    })
  }

  #page(entries: readonly Entry[], cursor: unknown, revision: Revision, hints: CacheHints): SerializedResult {
    const { member, key, pageSize = entries.length } = this.#options
    // A cursor is bound to the scope of its page. Otherwise, later pages could have a different scope.
    const list = hints.cacheScope === 'public' ? `public ${member}` : member
    const start = cursor === undefined ? 0 : this.#after(entries, decodeCursor(list, cursor))
    const end = Math.min(start + pageSize, entries.length)
    const last = end < entries.length ? entries[end - 1] : undefined
    return this.#answer(
      entries.slice(start, end),
      revision,
      hints,
      last && encodeCursor(list, key(last.item)),
    )
  }

  #whole(entries: readonly Entry[], revision: Revision, hints: CacheHints): SerializedResult {
    const answers = this.#answers(entries)
    const known = answers.get(revision)
    if (known?.hints === hints) return known
    const answer = this.#answer(entries, revision, hints)
    answers.set(revision, answer)
    return answer
  }

  #answer(
    entries: readonly Entry[],
    revision: Revision,
    hints: CacheHints,
    nextCursor?: string,
  ): SerializedResult {
    const { member } = this.#options
    const items = entries.map((entry) => this.#fragment(entry, revision)).join(',')
    const next = nextCursor === undefined ? '' : `,"nextCursor":"${nextCursor}"`
    const build = (): object => ({
      [member]: entries.map(({ item }) => item),
      ...(nextCursor !== undefined && { nextCursor }),
    })
    return new SerializedResult(`{"${member}":[${items}]${next}}`, build, hints)
  }

  #fragment(entry: Entry, revision: Revision): string {
    const fragments = this.#fragments(entry)
    let fragment = fragments.get(revision)
    if (fragment === undefined) {
      fragment = JSON.stringify(this.#options.project(revision, entry.item))
      fragments.set(revision, fragment)
    }
    return fragment
  }

  #after(entries: readonly Entry[], key: string): number {
    const position = this.#positions(entries).get(key)
    if (position === undefined) throw invalidCursor()
    return position + 1
  }
}

/** The maximum length of a cursor, which is long enough for every URI. It limits the time for decoding. */
const MAX_CURSOR_LENGTH = 16_384
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Creates a cursor from the key of the last item on a page, so that the next page starts after that item even
 * if items were added.
 */
export const encodeCursor = (list: string, lastKey: string): string =>
  toBase64Url(encoder.encode(`${list}:${lastKey}`))

/**
 * Returns the key in a cursor. An empty string is an invalid cursor.
 *
 * @throws McpError `-32602`
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
 */
export function decodeCursor(list: string, cursor: unknown): string {
  const bytes =
    typeof cursor === 'string' && cursor.length <= MAX_CURSOR_LENGTH ? fromBase64Url(cursor) : undefined
  const text = bytes === undefined ? '' : decoder.decode(bytes)
  if (!text.startsWith(`${list}:`)) throw invalidCursor()
  return text.slice(list.length + 1)
}

export const invalidCursor = (): Error => invalidParams('Invalid cursor')
