/**
 * Replaces control and format characters in text from models and servers. Escape sequences could hide a
 * question or type into the terminal, and bidirectional marks could disguise a URL.
 */
export const sanitize = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(/[^\P{C}\n\t]|[\u2028\u2029\uD800-\uDFFF]/gu, '\u{FFFD}')

/** Like {@link sanitize}, but returns a single line, truncated to `length` UTF-16 code units. */
export function sanitizeLine(text: string, length: number): string {
  const line = sanitize(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}
