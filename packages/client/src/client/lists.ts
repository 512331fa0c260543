import {
  isObject,
  type JsonObject,
  Method,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Revision,
  type Tool,
} from '@jetway/core/protocol'
import { ClientError, invalidResponse } from '../errors.ts'
import { KnownTools } from './known-tools.ts'
import type { RequestOptions, ResolvedOptions } from '../options/options.ts'
import type { RequestSender } from './request-sender.ts'
import { type CacheHints, readHints } from './results.ts'
import { weightOf } from '../util/weight.ts'

/** One page of a list. */
export type Page<Item> = CacheHints & {
  readonly items: readonly Item[]
  /**
   * The cursor of the next page; undefined on the last page. In revisions without sessions, it may be an empty
   * string.
   */
  readonly nextCursor: string | undefined
  readonly _meta?: JsonObject
}

export interface ListOf<Item> {
  readonly method: string
  readonly member: string
  readonly capability: 'tools' | 'prompts' | 'resources'
  /** Returns whether an entry has the members that the client needs. */
  readonly isItem: (entry: JsonObject) => boolean
  /** The type of an item. Only the compiler uses it. */
  readonly item?: Item
}

export const TOOLS: ListOf<Tool> = {
  method: Method.ListTools,
  member: 'tools',
  capability: 'tools',
  isItem: ({ name, inputSchema }) => typeof name === 'string' && isObject(inputSchema),
}

export const PROMPTS: ListOf<Prompt> = {
  method: Method.ListPrompts,
  member: 'prompts',
  capability: 'prompts',
  isItem: ({ name, arguments: args }) =>
    typeof name === 'string' && (args === undefined || Array.isArray(args)),
}

export const RESOURCES: ListOf<Resource> = {
  method: Method.ListResources,
  member: 'resources',
  capability: 'resources',
  isItem: ({ uri }) => typeof uri === 'string',
}

export const TEMPLATES: ListOf<ResourceTemplate> = {
  method: Method.ListResourceTemplates,
  member: 'resourceTemplates',
  capability: 'resources',
  isItem: ({ uriTemplate }) => typeof uriTemplate === 'string',
}

/**
 * Returns whether a page is the last one. Servers with sessions may end a list with an empty cursor. See
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination.
 */
const isEnd = (cursor: string | null | undefined, { era }: Revision): cursor is null | undefined =>
  cursor === undefined || cursor === null || (cursor === '' && era === 'legacy')

export class Lists {
  readonly tools: KnownTools
  readonly #requests: RequestSender

  constructor(requests: RequestSender) {
    this.#requests = requests
    this.tools = new KnownTools(requests.options.maxListBytes)
  }

  async page<Item>(
    list: ListOf<Item>,
    cursor: string | undefined,
    options: RequestOptions | undefined,
  ): Promise<Page<Item>> {
    const requests = this.#requests
    const { method, member, capability, isItem } = list
    requests.require(capability)
    const result = await requests.complete(method, cursor === undefined ? {} : { cursor }, options)
    const { [member]: entries, nextCursor, _meta } = result
    if (!Array.isArray(entries)) throw invalidResponse(method, `it has no list "${member}"`)
    if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string')
      throw invalidResponse(method, 'its nextCursor is not a string')
    const items = entries.filter((entry) => isObject(entry) && isItem(entry)) as Item[]
    if (items.length < entries.length)
      requests.onError(
        new Error(`${entries.length - items.length} malformed entries of ${method} are left out`),
      )
    return {
      items: member === 'tools' ? items.filter((tool) => this.#accepts(tool as Tool)) : items,
      nextCursor: isEnd(nextCursor, requests.dialect.revision) ? undefined : nextCursor,
      ...readHints(result),
      ...(isObject(_meta) && { _meta }),
    }
  }

  /** Yields the entries of all pages. @throws ClientError `endless-list` */
  entries<Item>(list: ListOf<Item>, options?: RequestOptions): AsyncGenerator<Item, void, undefined> {
    return followPages(list.method, this.#requests.options, (cursor) => this.page(list, cursor, options))
  }

  async all<Item>(list: ListOf<Item>, options: RequestOptions | undefined): Promise<readonly Item[]> {
    const all: Item[] = []
    for await (const item of this.entries(list, options)) all.push(item)
    return all
  }

  /** Returns whether a tool can be called. Over HTTP, this requires valid header annotations. */
  #accepts(tool: Tool): boolean {
    const problem = this.tools.add(tool)
    if (problem === undefined || !this.#requests.hasHeaders) return true
    this.#requests.onError(new Error(`The tool ${tool.name} is left out: it ${problem}`))
    return false
  }
}

/** The limits of a list. */
export type ListLimits = Pick<ResolvedOptions, 'maxPages' | 'maxItems' | 'maxListBytes'>

/**
 * Fetches page after page. The number of pages is limited, because a server may repeat cursors or send new ones
 * endlessly.
 * @throws ClientError `endless-list`
 */
export async function* followPages<Item>(
  method: string,
  { maxPages, maxItems, maxListBytes }: ListLimits,
  page: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | undefined }>,
): AsyncGenerator<Item, void, undefined> {
  const endless = (why: string): ClientError =>
    new ClientError('endless-list', `The list of ${method} does not end: ${why}`)
  const seen = new Set<string>()
  let cursor: string | undefined
  let count = 0
  let bytes = 0
  const add = (value: unknown): void => {
    bytes += weightOf(value)
    if (bytes > maxListBytes) throw endless(`it has more than ${maxListBytes} bytes`)
  }
  for (let pages = 0; pages < maxPages; pages++) {
    const { items, nextCursor } = await page(cursor)
    // The server does not recognize its own cursor, and has sent the first page again.
    if (cursor === '' && nextCursor === '') return
    for (const item of items) {
      if (++count > maxItems) throw endless(`it has more than ${maxItems} entries`)
      add(item)
      yield item
    }
    if (nextCursor === undefined) return
    if (seen.has(nextCursor)) throw endless('it has the same cursor twice')
    add(nextCursor)
    seen.add(nextCursor)
    cursor = nextCursor
  }
  throw endless(`it has more than ${maxPages} pages`)
}
