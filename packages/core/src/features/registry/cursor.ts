import { invalidParams } from '../../errors.ts'
import { fromBase64Url, toBase64Url } from '../../util/bytes.ts'

/** Sufficient for every URI. The work of decoding grows with the length. */
const MAX_CURSOR_LENGTH = 16_384
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Contains the key of the last item of a page, so that the next page starts after it even if items were added.
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
