import { ClientError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import type { Requests } from '../requests.ts'
import type { KnownTools } from './known-tools.ts'
import { type ListKindOf, LISTS, type Page, readPage } from './results.ts'

export interface ListsOptions {
  readonly requests: Requests
  readonly tools: KnownTools
  readonly maxPages: number
  readonly maxItems: number
  readonly onError: (error: Error) => void
}

/** Pages of lists, and whole ones. What is no entry is left out and reported, and hides no other. */
export class Lists {
  readonly #options: ListsOptions

  constructor(options: ListsOptions) {
    this.#options = options
  }

  async page<Item>(
    kind: ListKindOf<Item>,
    cursor: string | undefined,
    options: RequestOptions | undefined,
  ): Promise<Page<Item>> {
    const { requests, onError } = this.#options
    requests.offered(kind.capability)
    const result = await requests.ask(kind.method, cursor === undefined ? {} : { cursor }, options)
    const { page, left } = readPage(kind, result)
    if (left > 0) onError(new Error(`${left} entries of ${kind.method} are malformed, and left out`))
    const noted = (kind as object) === LISTS.tools
    return noted ? { ...page, items: page.items.filter((item) => this.#takesNote(item as never)) } : page
  }

  /**
   * Follows a list to its end, page by page, and no further than the limits: a server may give the same cursor again, or
   * new ones for ever.
   *
   * @throws ClientError `endless-list`
   */
  async *entries<Item>(
    kind: ListKindOf<Item>,
    options: RequestOptions | undefined,
  ): AsyncGenerator<Item, void, undefined> {
    const { maxPages, maxItems } = this.#options
    const seen = new Set<string>()
    let cursor: string | undefined
    let count = 0
    for (let pages = 0; pages < maxPages; pages++) {
      const { items, nextCursor } = await this.page(kind, cursor, options)
      for (const item of items) {
        if (++count > maxItems) throw endless(kind.method, `it has more than ${maxItems} entries`)
        yield item
      }
      if (nextCursor === undefined) return
      if (seen.has(nextCursor)) throw endless(kind.method, 'it gives the same cursor twice')
      seen.add(nextCursor)
      cursor = nextCursor
    }
    throw endless(kind.method, `it has more than ${maxPages} pages`)
  }

  async all<Item>(kind: ListKindOf<Item>, options: RequestOptions | undefined): Promise<readonly Item[]> {
    const all: Item[] = []
    for await (const item of this.entries(kind, options)) all.push(item)
    return all
  }

  /** A tool that wants headers which nobody can send is no tool, where there are headers. */
  #takesNote(tool: Parameters<KnownTools['note']>[0]): boolean {
    const { tools, requests, onError } = this.#options
    const problem = tools.note(tool)
    if (problem === undefined || !requests.hasHeaders) return true
    onError(new Error(`The tool ${tool.name} is left out: it ${problem}`))
    return false
  }
}

const endless = (method: string, why: string): ClientError =>
  new ClientError('endless-list', `The list of ${method} does not end: ${why}`)
