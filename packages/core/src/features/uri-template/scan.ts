interface LiteralStep {
  readonly kind: 'literal'
  readonly text: string
}

/** A part of the URI that contains values: an optional lead, then items with a separator between them. */
interface SpanStep {
  readonly kind: 'span'
  /** The possible leads: characters that may precede the items, or `''` if the items have no lead. */
  readonly leads: string
  /** The character between two items, which items must not contain; `''` if there is only one item. */
  readonly separator: string
  /** Whether the span and its lead may be missing. */
  readonly optional: boolean
  /** Which end to choose if several ends are possible. */
  readonly take: 'shortest' | 'longest'
  /**
   * Whether an item may contain this character. Never called for percent triplets, which are always allowed.
   */
  readonly accepts: (code: number) => boolean
}

export type Step = LiteralStep | SpanStep

const PERCENT = 37

/** For each position, states whether the remaining steps can match the rest of the URI. */
type Table = Uint8Array

/**
 * Matches the steps against the whole URI. Returns the text of each span in order, without its lead; a missing
 * optional span is undefined. Returns undefined if there is no match.
 *
 * Because a peer chooses the URI, backtracking is avoided: its time can grow exponentially with the number of
 * spans. Instead, one pass from the right marks, for each step, where the rest can match, so that one pass from
 * the left never has to go back. There are `(steps + 1) × (length + 1)` cells, and each is visited a fixed
 * number of times. If there are several matches, the leftmost choice decides.
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

/**
 * Uses Knuth-Morris-Pratt, because otherwise a repetitive literal could be compared in full at every position.
 */
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
  // Marks where an item may continue. The three additional cells make a bounds check for triplets unnecessary.
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

/**
 * Returns the length of an item's character at this position: 3 for a triplet, or 0 if an item cannot contain
 * the character.
 */
function itemCharacter(span: SpanStep, uri: string, position: number): number {
  const code = uri.charCodeAt(position)
  if (code !== PERCENT) return span.accepts(code) ? 1 : 0
  return isHex(uri.charCodeAt(position + 1)) && isHex(uri.charCodeAt(position + 2)) ? 3 : 0
}

/** Accepts only upper case, as in canonical URIs. */
const isHex = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 65 && code <= 70)
