import type { MarkdownRenderer } from 'vitepress'

type Tokens = ReturnType<MarkdownRenderer['parse']>

/** The maximum length of a cell in a table that fits on a phone's screen, in characters. */
const LONG_CELL = 60
/**
 * The maximum length of a cell in the first column, in characters. A longer one leaves no room for the second
 * column.
 */
const LONG_NAME = 24

/**
 * Adds the class `stacked` to tables that do not fit on a phone's screen, and labels each of their cells with
 * its heading, so that a narrow screen can show each row as a block. See `jetway.css`.
 */
export function stackTables(markdown: MarkdownRenderer): void {
  // VitePress's own rule would drop the class.
  markdown.renderer.rules['table_open'] = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet('tabindex', '0')
    return self.renderToken(tokens, index, options)
  }
  markdown.core.ruler.push('tables', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      if (type !== 'table_open') continue
      const end = tokens.findIndex((token, at) => at > index && token.type === 'table_close')
      stack(tokens.slice(index, end))
    }
  })
}

function stack(table: Tokens): void {
  const textAfter = (at: number): string => plain(table[at + 1]?.content ?? '')
  const headings = table.flatMap(({ type }, at) => (type === 'th_open' ? [textAfter(at)] : []))
  const cells = table.flatMap((token, at) =>
    token.type === 'td_open' ? [{ token, text: textAfter(at) }] : [],
  )
  const columns = headings.length
  const longest = Math.max(0, ...cells.map(({ text }) => text.length))
  const name = Math.max(0, ...cells.filter((_, at) => at % columns === 0).map(({ text }) => text.length))
  if (longest <= LONG_CELL || (columns < 3 && name <= LONG_NAME)) return
  table[0]?.attrJoin('class', 'stacked')
  cells.forEach(({ token, text }, at) => {
    const heading = headings[at % columns]
    if (at % columns > 0 && heading !== undefined && heading !== '' && text !== '')
      token.attrSet('data-heading', heading)
    if (text === '') token.attrJoin('class', 'empty')
  })
}

/** Returns the text of a cell without markup. */
const plain = (cell: string): string =>
  cell
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>|[`*]/g, '')
    .trim()
