import { invalidParams } from '@jetway/core'

/** The maximum length of a cursor. It is sufficient for every URI, and limits the cost of decoding. */
const MAX_CURSOR_LENGTH = 16_384
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string | undefined
}

/**
 * Creates a cursor from the last item on a page. The next page starts after that item even if items have been
 * added in the meantime.
 */
export const encodeCursor = (list: string, lastUri: string): string =>
  btoa(Array.from(encoder.encode(`${list}:${lastUri}`), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/**
 * Returns the items after a cursor, which contains the URI of the last item. That item may have been deleted,
 * because the items are sorted by URI.
 *
 * @throws McpError `-32602` for a cursor from another list
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
 */
export function pageOf<Item extends { readonly uri: string }>(
  items: readonly Item[],
  list: string,
  cursor: unknown,
  pageSize: number,
): Page<Item> {
  const after = cursor === undefined ? '' : decodeCursor(list, cursor)
  const start = items.findIndex(({ uri }) => uri > after)
  if (start === -1) return { items: [] }
  const page = items.slice(start, start + pageSize)
  const last = start + pageSize < items.length ? page.at(-1) : undefined
  return { items: page, nextCursor: last && encodeCursor(list, last.uri) }
}

function decodeCursor(list: string, cursor: unknown): string {
  if (typeof cursor === 'string' && cursor.length <= MAX_CURSOR_LENGTH) {
    try {
      const bytes = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
      const text = decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)))
      const key = text.slice(list.length + 1)
      // Base64 can spell the same bytes in several ways, so only the original spelling is accepted.
      if (text.startsWith(`${list}:`) && encodeCursor(list, key) === cursor) return key
    } catch {
      // The cursor was not created by this server.
    }
  }
  throw invalidParams('Invalid cursor')
}
