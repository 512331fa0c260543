import type { RequestOptions } from '../options.ts'
import type { Requests } from '../requests.ts'
import type { KnownTools } from './known-tools.ts'
import { follow, type PageLimits } from './pages.ts'
import { type ListKindOf, LISTS, type Page, readPage } from './results.ts'

export interface ListsOptions extends PageLimits {
  readonly requests: Requests
  readonly tools: KnownTools
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

  /** A list to its end. @throws ClientError `endless-list` */
  entries<Item>(
    kind: ListKindOf<Item>,
    options: RequestOptions | undefined,
  ): AsyncGenerator<Item, void, undefined> {
    return follow(kind.method, this.#options, (cursor) => this.page(kind, cursor, options))
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
