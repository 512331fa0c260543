/**
 * Text of models and servers, as a terminal may show it: escape sequences could hide what is asked, or type into the
 * terminal by themselves, and marks of direction could turn an address around.
 */
export const shown = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(/[^\P{C}\n\t]|[\u2028\u2029\uD800-\uDFFF]/gu, '\u{FFFD}')

/** The same on one line, and no longer than is read. */
export function shownShort(text: string, length: number): string {
  const line = shown(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}
