/**
 * The one spelling in which templates and URIs are compared: ASCII, upper-case triplets. A raw
 * backslash becomes `%5C` and a raw control character a triplet, so that both spellings meet the same
 * checks. A lone percent sign stays.
 *
 * @throws URIError for a lone surrogate
 */
export const canonical = (text: string): string =>
  text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu, (found) =>
    found.startsWith('%') ? found.toUpperCase() : encodeURIComponent(found),
  )

/** `segment` is one path segment, `path` may have slashes. */
export type ValueShape = 'segment' | 'path'

/** Control characters (NUL too) and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u
/** A slash, a backslash, or a drive letter, which on Windows makes any path leave its root. */
const ROOTED = /^(?:[/\\]|[A-Za-z]:)/

/**
 * Decodes a value exactly once, so that `%252e` stays `%2e`. Undefined if it is malformed (a bad triplet,
 * UTF-8 that is invalid or overlong) or could lead a handler out of its directory.
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

/** Windows drops trailing spaces, and some servers cut path parameters (`..;x`) before they resolve. */
function isDotSegment(segment: string): boolean {
  const bare = segment.split(';', 1)[0]?.trim()
  return bare === '.' || bare === '..'
}
