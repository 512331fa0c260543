/**
 * Returns the start of a server's text, without control characters, line breaks, or characters that reverse
 * the text.
 */
export const printable = (text: string, length: number): string =>
  text.slice(0, length).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
