import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { CacheHints, Revision } from '../../protocol/revisions/revision.ts'
import type { CallContext } from '../../call/context.ts'
import { SerializedResult } from '../../call/result.ts'
import type { Varies } from './caching.ts'
import { decodeCursor, encodeCursor, invalidCursor } from './cursor.ts'
import { type Guarded, visibleAmong } from './visibility.ts'

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
  /** How long an answer may be kept. */
  readonly hints?: (varies: Varies) => CacheHints
  /** A last change to the entries that one caller may see, where there are more that they may not. */
  readonly among?: (seen: readonly Entry[], all: readonly Entry[]) => readonly Entry[]
}

/**
 * Answers the list methods: each entry is serialised once per revision, and an answer without pages is kept whole. What
 * hangs on the caller is kept nowhere.
 */
export class Listing<Entry extends Guarded, Item extends object> {
  readonly #options: ListingOptions<Entry, Item>
  readonly #fragments = new WeakMap<Entry, Map<Revision, string>>()
  readonly #wholes = new WeakMap<
    ListSource<Entry>,
    Map<Revision, { version: number; answer: SerializedResult }>
  >()
  /** By list: two are asked for in turn where some callers are shown another form of the entries. */
  readonly #open = new WeakMap<readonly Entry[], boolean>()
  /** Held by the list itself: one that a session alone has goes with the session. */
  readonly #positions = new WeakMap<readonly Entry[], ReadonlyMap<string, number>>()

  constructor(options: ListingOptions<Entry, Item>) {
    this.#options = options
  }

  list(
    source: ListSource<Entry>,
    params: JsonObject,
    ctx: CallContext,
  ): SerializedResult | Promise<SerializedResult> {
    const entries = source.entries()
    const whole = params['cursor'] === undefined && this.#options.pageSize === undefined
    if (whole && this.#isOpen(entries))
      return this.#whole(source, ctx.revision, this.#options.hints?.('never'))
    return this.page(entries, params, ctx)
  }

  /**
   * Only a caller's own entries count, so that a cursor tells nothing of the others.
   *
   * @param varies - whether what made the entries could tell callers apart; their own rules are looked at here
   */
  page(
    entries: readonly Entry[],
    { cursor }: JsonObject,
    ctx: CallContext,
    varies: Varies = 'never',
  ): SerializedResult | Promise<SerializedResult> {
    const { among, hints } = this.#options
    // By the rules that there are, not by what they say of this caller: all pages have one scope.
    const kept = hints?.(entries.some(({ visible }) => visible !== undefined) ? 'always' : varies)
    const answer = (seen: readonly Entry[]): SerializedResult => {
      const shown = among === undefined || seen === entries ? seen : among(seen, entries)
      return this.#page(shown, cursor, ctx.revision, kept)
    }
    const seen = visibleAmong(entries, ctx)
    return seen instanceof Promise ? seen.then(answer) : answer(seen)
  }

  #isOpen(entries: readonly Entry[]): boolean {
    let open = this.#open.get(entries)
    if (open === undefined) {
      open = entries.every(({ visible }) => visible === undefined)
      this.#open.set(entries, open)
    }
    return open
  }

  #page(
    entries: readonly Entry[],
    cursor: unknown,
    revision: Revision,
    hints: CacheHints | undefined,
  ): SerializedResult {
    const { member, key, pageSize = entries.length } = this.#options
    // A cursor ends with the scope that it was given out under, or the pages after it would have another one.
    const list = hints?.cacheScope === 'public' ? `public ${member}` : member
    const start = cursor === undefined ? 0 : this.#after(entries, decodeCursor(list, cursor))
    const end = Math.min(start + pageSize, entries.length)
    const last = end < entries.length ? entries[end - 1] : undefined
    return this.#answer(entries.slice(start, end), revision, hints, last && encodeCursor(list, key(last)))
  }

  #whole(source: ListSource<Entry>, revision: Revision, hints: CacheHints | undefined): SerializedResult {
    let answers = this.#wholes.get(source)
    if (answers === undefined) this.#wholes.set(source, (answers = new Map()))
    const { version } = source
    const kept = answers.get(revision)
    if (kept?.version === version && kept.answer.hints === hints) return kept.answer
    const answer = this.#answer(source.entries(), revision, hints)
    answers.set(revision, { version, answer })
    return answer
  }

  #answer(
    entries: readonly Entry[],
    revision: Revision,
    hints: CacheHints | undefined,
    nextCursor?: string,
  ): SerializedResult {
    const { member, item } = this.#options
    const items = entries.map((entry) => this.#fragment(entry, revision)).join(',')
    const next = nextCursor === undefined ? '' : `,"nextCursor":"${nextCursor}"`
    const build = (): object => ({
      [member]: entries.map(item),
      ...(nextCursor !== undefined && { nextCursor }),
    })
    return new SerializedResult(`{"${member}":[${items}]${next}}`, build, hints)
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
    let positions = this.#positions.get(entries)
    if (positions === undefined) {
      positions = new Map(entries.map((entry, index) => [this.#options.key(entry), index]))
      this.#positions.set(entries, positions)
    }
    const position = positions.get(key)
    if (position === undefined) throw invalidCursor()
    return position + 1
  }
}
