import type { Expression, Operator, Part, VariableSpec } from './parse.ts'
import type { Step } from './scan.ts'

export interface OperatorRules {
  /** The character before the first variable. */
  readonly first: string
  readonly separator: string
  /** Whether values are written as `name=value`. */
  readonly named?: boolean
  /** Whether reserved characters are left unencoded. */
  readonly reserved?: boolean
}

/** https://www.rfc-editor.org/rfc/rfc6570#appendix-A */
export const OPERATOR_RULES: Readonly<Record<Operator, OperatorRules>> = {
  '': { first: '', separator: ',' },
  '+': { first: '', separator: ',', reserved: true },
  '#': { first: '#', separator: ',', reserved: true },
  '.': { first: '.', separator: '.' },
  '/': { first: '/', separator: '/' },
  ';': { first: ';', separator: ';', named: true },
  '?': { first: '?', separator: '&', named: true },
  '&': { first: '&', separator: '&', named: true },
}

type Values = Map<string, string | string[]>

/** Adds the values in a span's text. Returns false if a value is rejected. */
type Reader = (span: string | undefined, values: Values) => boolean

interface Matcher {
  readonly steps: Step[]
  /** One reader per span step, in the same order. */
  readonly readers: Reader[]
}

/** Converts a template to the scanner's steps. */
export function compileParts(parts: readonly Part[]): Matcher {
  const matcher: Matcher = { steps: [], readers: [] }
  let pairs: Pairs | undefined
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'literal') {
      matcher.steps.push({ kind: 'literal', text: canonical(part.text) })
      pairs = undefined
    } else if (OPERATOR_RULES[part.operator].named) {
      pairs = addPairs(part, pairs, matcher)
    } else {
      const before = fixedText(parts.slice(0, index))
      const after = fixedText(parts.slice(index + 1))
      addItems(part, excluded(part.operator, before, after), matcher)
      pairs = undefined
    }
  }
  return matcher
}

/** The literal text of the template. */
const fixedText = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === 'literal' ? part.text : part.operator)).join('')

/**
 * Returns the characters that start the next URI component. Values must not contain them (RFC 3986, section 3).
 */
function excluded(operator: Operator, before: string, after: string): string {
  if (operator === '#') return ''
  if (operator === '+') return (after.includes('?') ? '?' : '') + (after.includes('#') ? '#' : '')
  return before.includes('?') ? '/?#&' : '/?#'
}

function addItems({ operator, variables }: Expression, barred: string, { steps, readers }: Matcher): void {
  const { first, separator, reserved } = OPERATOR_RULES[operator]
  const several = variables.length > 1
  for (const [index, variable] of variables.entries()) {
    const { name, explode, maxLength } = variable
    steps.push({
      kind: 'span',
      leads: index === 0 ? first : separator,
      separator: explode ? separator : '',
      // The first of several variables is required. An empty list expands to nothing, so the next variable
      // would directly follow the lead.
      optional: explode && (index > 0 || !several),
      take: 'shortest',
      accepts: allBut((several || explode ? separator : '') + barred),
    })
    readers.push((span, values) => {
      const texts = explode ? (span?.split(separator) ?? []) : [span ?? '']
      const items = texts.map((text) => decodeValue(text, reserved ? 'path' : 'segment', maxLength))
      if (!items.every((item) => item !== undefined)) return false
      values.set(name, explode ? items : (items[0] ?? ''))
      return true
    })
  }
}

/** Consecutive expressions with named variables. They are read as a single span. */
interface Pairs {
  readonly leads: string
  readonly separator: string
  readonly variables: Map<string, VariableSpec>
}

function addPairs(expression: Expression, earlier: Pairs | undefined, { steps, readers }: Matcher): Pairs {
  const { first, separator } = OPERATOR_RULES[expression.operator]
  // `{?a}{&b}` forms a single query. Its names may occur in any order, and it starts with "&" if `a` is missing.
  const joins = earlier?.separator === separator
  const leads = joins ? earlier.leads + first : first
  const variables = joins ? earlier.variables : new Map<string, VariableSpec>()
  for (const variable of expression.variables) variables.set(variable.name, variable)
  if (joins) steps.pop()
  else readers.push((span, values) => readPairs({ leads, separator, variables }, span, values))
  steps.push({
    kind: 'span',
    leads,
    separator: '',
    optional: true,
    take: 'longest',
    accepts: allBut(separator === ';' ? '/?#' : '#'),
  })
  return { leads, separator, variables }
}

/**
 * Reads `name=value` pairs. Returns false for a name that is not in the template, and for a second value of a
 * variable that is not exploded.
 */
function readPairs({ separator, variables }: Pairs, span: string | undefined, values: Values): boolean {
  for (const pair of span?.split(separator) ?? []) {
    const [name = '', ...rest] = pair.split('=')
    const variable = variables.get(name)
    if (variable === undefined) return false
    const shape = separator === ';' ? 'segment' : 'path'
    const value = decodeValue(rest.join('='), shape, variable.maxLength)
    if (value === undefined) return false
    const known = values.get(name)
    if (Array.isArray(known)) known.push(value)
    else if (known === undefined) values.set(name, variable.explode ? [value] : value)
    else return false
  }
  return true
}

/**
 * Accepts all ASCII characters except these. A table with 128 entries is enough, because canonical URIs are
 * ASCII.
 */
function allBut(characters: string): (code: number) => boolean {
  const table = new Uint8Array(128).fill(1)
  for (const character of characters) table[character.charCodeAt(0)] = 0
  return (code) => table[code] === 1
}

/**
 * Returns the canonical spelling that is used to compare templates and URIs: ASCII with upper-case triplets. A
 * raw backslash becomes `%5C`, and a raw control character becomes a triplet, so that both spellings undergo
 * the same checks. A lone percent sign is kept.
 *
 * @throws URIError for a lone surrogate
 */
export const canonical = (text: string): string =>
  text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu, (found) =>
    found.startsWith('%') ? found.toUpperCase() : encodeURIComponent(found),
  )

/** A `segment` is one path segment. A `path` may contain slashes. */
export type ValueShape = 'segment' | 'path'

/** Control characters, including NUL, and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u
/** A slash, a backslash or a drive letter. On Windows, any of these makes a path leave its root directory. */
const ROOTED = /^(?:[/\\]|[A-Za-z]:)/

/**
 * Decodes a value exactly once, so that `%252e` becomes `%2e`, not a dot. Returns undefined if the value is
 * malformed (an invalid triplet, invalid or overlong UTF-8), or could make a handler leave its directory.
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

/**
 * Windows drops trailing spaces, and some servers remove path parameters (`..;x`) before they resolve the path.
 */
function isDotSegment(segment: string): boolean {
  const bare = segment.split(';', 1)[0]?.trim()
  return bare === '.' || bare === '..'
}
