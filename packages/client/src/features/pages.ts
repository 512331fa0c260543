import { ClientError } from '../errors.ts'

/** How much of a list is followed. */
export interface PageLimits {
  readonly maxPages: number
  readonly maxItems: number
}

/**
 * Follows a list to its end, page by page, and no further than the limits: a server may give the same cursor again, or
 * new ones for ever.
 *
 * @throws ClientError `endless-list`
 */
export async function* follow<Item>(
  method: string,
  { maxPages, maxItems }: PageLimits,
  page: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | undefined }>,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>()
  let cursor: string | undefined
  let count = 0
  for (let pages = 0; pages < maxPages; pages++) {
    const { items, nextCursor } = await page(cursor)
    for (const item of items) {
      if (++count > maxItems) throw endless(method, `it has more than ${maxItems} entries`)
      yield item
    }
    if (nextCursor === undefined) return
    if (seen.has(nextCursor)) throw endless(method, 'it gives the same cursor twice')
    seen.add(nextCursor)
    cursor = nextCursor
  }
  throw endless(method, `it has more than ${maxPages} pages`)
}

const endless = (method: string, why: string): ClientError =>
  new ClientError('endless-list', `The list of ${method} does not end: ${why}`)
