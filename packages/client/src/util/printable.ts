/**
 * The start of a server's text, safe for logs and models: control characters, line breaks and marks that reverse the
 * direction of text are replaced.
 */
export const printable = (text: string, length: number): string =>
  text.slice(0, length).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
