/** A fixed text of the URI. */
export interface LiteralStep {
  readonly kind: 'literal'
  readonly text: string
}

/** A stretch of the URI that holds values: an optional lead, then items with a separator between them. */
export interface SpanStep {
  readonly kind: 'span'
  /** One of these characters comes before the items; `''` asks for none. */
  readonly leads: string
  /** Between two items, or `''` if there is only one. Not among the accepted characters. */
  readonly separator: string
  /** Whether the whole span, lead included, may be missing. */
  readonly optional: boolean
  /** Where several ends are possible. */
  readonly take: 'shortest' | 'longest'
  /** Whether an item may hold this character. Percent triplets are always allowed and never asked for. */
  readonly accepts: (code: number) => boolean
}

export type Step = LiteralStep | SpanStep

const PERCENT = 37

/** Each table says of a position whether the rest of the steps can match the rest of the URI. */
type Table = Uint8Array

/**
 * Fits the steps to the whole URI; for each span, in order, its text without the lead, or undefined where
 * an optional one is missing. Undefined if nothing fits.
 *
 * A backtracking search takes time that grows with a power of the number of spans, and a peer chooses the
 * URI. So one pass from the right marks, per step, where the rest can still succeed, and one pass from the
 * left then never takes a wrong turn: `(steps + 1) × (length + 1)` cells, each looked at a fixed number of
 * times. With several solutions the leftmost choice decides.
 */
export function scan(steps: readonly Step[], uri: string): (string | undefined)[] | undefined {
  const first = steps[0]
  const last = steps.at(-1)
  if (first?.kind === 'literal' && !uri.startsWith(first.text)) return undefined
  if (last?.kind === 'literal' && !uri.endsWith(last.text)) return undefined

  let next: Table = new Uint8Array(uri.length + 1)
  next[uri.length] = 1
  const tables: Table[] = [next]
  for (const step of steps.toReversed()) {
    next = step.kind === 'literal' ? literalTable(step.text, uri, next) : spanTable(step, uri, next)
    tables.push(next)
  }
  tables.reverse()
  return next[0] === 1 ? walk(steps, uri, tables) : undefined
}

function walk(steps: readonly Step[], uri: string, tables: readonly Table[]): (string | undefined)[] {
  const spans: (string | undefined)[] = []
  let position = 0
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'literal') {
      position += step.text.length
      continue
    }
    const end = spanEnd(step, uri, position, tables[index + 1] as Table)
    spans.push(end === position ? undefined : uri.slice(position + Math.sign(step.leads.length), end))
    position = end
  }
  return spans
}

/** Knuth, Morris and Pratt: a repetitive literal must not cost its length at every position. */
function literalTable(text: string, uri: string, next: Table): Table {
  const table = new Uint8Array(uri.length + 1)
  const fallback = new Uint16Array(text.length + 1)
  for (let index = 1, matched = 0; index < text.length; index++) {
    while (matched > 0 && text[index] !== text[matched]) matched = fallback[matched] as number
    if (text[index] === text[matched]) matched++
    fallback[index + 1] = matched
  }
  for (let index = 0, matched = 0; index < uri.length; index++) {
    while (matched > 0 && uri[index] !== text[matched]) matched = fallback[matched] as number
    if (uri[index] === text[matched]) matched++
    if (matched < text.length) continue
    if (next[index + 1] === 1) table[index + 1 - matched] = 1
    matched = fallback[matched] as number
  }
  return table
}

function spanTable(span: SpanStep, uri: string, next: Table): Table {
  const table = new Uint8Array(uri.length + 1)
  // Where the inside of an item may go on; three cells of slack spare a bounds check for triplets.
  const inside = new Uint8Array(uri.length + 4)
  inside[uri.length] = next[uri.length] as number
  if (span.optional) table[uri.length] = next[uri.length] as number
  let itemAfter = false
  for (let position = uri.length - 1; position >= 0; position--) {
    const width = itemCharacter(span, uri, position)
    const item = width > 0 && inside[position + width] === 1
    const mayEnd = next[position] === 1
    const mayGoOn = item || (itemAfter && uri[position] === span.separator)
    if (mayEnd || mayGoOn) inside[position] = 1
    const starts = span.leads === '' ? item : itemAfter && span.leads.includes(uri.charAt(position))
    if (starts || (span.optional && mayEnd)) table[position] = 1
    itemAfter = item
  }
  return table
}

/** Where the span ends. The tables promise that it does. */
function spanEnd(span: SpanStep, uri: string, start: number, next: Table): number {
  if (span.optional && span.take === 'shortest' && next[start] === 1) return start
  if (span.leads !== '' && !span.leads.includes(uri.charAt(start))) return start
  let position = span.leads === '' ? start : start + 1
  let end = start
  let inItem = false
  while (true) {
    if (inItem && next[position] === 1) {
      end = position
      if (span.take === 'shortest') return end
    }
    const width = position < uri.length ? itemCharacter(span, uri, position) : 0
    if (width > 0) {
      position += width
      inItem = true
    } else if (inItem && position < uri.length && uri[position] === span.separator) {
      position++
      inItem = false
    } else {
      return end
    }
  }
}

/** How many characters of the URI the item takes here: a triplet is never cut in two. */
function itemCharacter(span: SpanStep, uri: string, position: number): number {
  const code = uri.charCodeAt(position)
  if (code !== PERCENT) return span.accepts(code) ? 1 : 0
  return isHex(uri.charCodeAt(position + 1)) && isHex(uri.charCodeAt(position + 2)) ? 3 : 0
}

/** Upper case only: the URI comes in its canonical spelling. */
const isHex = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 65 && code <= 70)
