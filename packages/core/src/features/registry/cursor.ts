import { invalidParams } from '../../errors.ts'
import { fromBase64Url, toBase64Url } from '../../util/bytes.ts'

/** Longer than any that is given out for a URI of sane length; decoding costs the sender's length otherwise. */
const MAX_CURSOR_LENGTH = 16_384
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Names the last item given, so that a page stays where it is while items are added. Opaque to clients. */
export const encodeCursor = (list: string, lastKey: string): string =>
  toBase64Url(encoder.encode(`${list}:${lastKey}`))

/**
 * The key that a cursor names. An empty string is a cursor too, and not one of ours.
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
