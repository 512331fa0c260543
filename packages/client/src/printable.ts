/** The start of a server's text, for messages, which go to logs and models: nothing in it begins a new line, or runs backwards. */
export const printable = (text: string, length: number): string =>
  text.slice(0, length).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
