/**
 * Returns the canonical spelling in which templates and URIs are compared: ASCII, upper-case triplets. A raw
 * backslash becomes `%5C` and a raw control character a triplet, so that both spellings pass the same checks. A
 * lone percent sign stays.
 *
 * @throws URIError for a lone surrogate
 */
export const canonical = (text: string): string =>
  text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu, (found) =>
    found.startsWith('%') ? found.toUpperCase() : encodeURIComponent(found),
  )

/** `segment` is one path segment, `path` may contain slashes. */
export type ValueShape = 'segment' | 'path'

/** Control characters (NUL too) and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u
/** A slash, a backslash, or a drive letter, with which any path leaves its root on Windows. */
const ROOTED = /^(?:[/\\]|[A-Za-z]:)/

/**
 * Decodes a value exactly once, so that `%252e` stays `%2e`. Returns undefined if it is malformed (an invalid
 * triplet, invalid or overlong UTF-8) or could lead a handler out of its directory.
 */
export function decodeValue(encoded: string, shape: ValueShape, maxLength: number): string | undefined {
  let value: string
  try {
    value = decodeURIComponent(encoded)
  } catch {
    return undefined
  }
  if (UNPRINTABLE.test(value) || ROOTED.test(value)) return undefined
  const segments = value.split(/[/\\]/)
  if (shape === 'segment' && segments.length > 1) return undefined
  if (segments.some(isDotSegment)) return undefined
  return maxLength !== Infinity && Array.from(value).length > maxLength ? undefined : value
}

/** Windows drops trailing spaces, and some servers remove path parameters (`..;x`) before they resolve. */
function isDotSegment(segment: string): boolean {
  const bare = segment.split(';', 1)[0]?.trim()
  return bare === '.' || bare === '..'
}
