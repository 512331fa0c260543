import { compileParts } from './compile.ts'
import type { Matcher, Reader } from './compile.ts'
import { canonical } from './encode.ts'
import { parseParts } from './parse.ts'
import type { Part } from './parse.ts'
import { scan } from './scan.ts'
import { decodeValue } from './values.ts'

/** In characters of the percent-encoded form; each then costs the scanner a bounded number of steps. */
const MAX_URI_LENGTH = 8192

/** How closely a template describes its URIs. See {@link compareSpecificity}. */
export interface TemplateSpecificity {
  /** Characters outside expressions. */
  readonly literals: number
  readonly variables: number
  /** Variables of `{+…}` and `{#…}` expressions, which may span path segments. */
  readonly reserved: number
}

/**
 * A URI template, levels 1 to 4. It is immutable and may be shared.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export interface UriTemplate {
  readonly template: string
  readonly parts: readonly Part[]
  /** Names in the template's order. */
  readonly variables: readonly string[]
  readonly specificity: TemplateSpecificity
  /**
   * The values in a URI, percent-decoded exactly once; undefined if the URI is not of this template, is
   * longer than 8192 characters in its percent-encoded form, or holds a value that is refused.
   *
   * Exploded variables (`{list*}`) give an array, all others a string. Variables of `{;…}`, `{?…}` and
   * `{&…}` are optional and come in any order; a name that the template does not have, or a second value
   * for one that is not exploded, is no match. All others must be there and not be empty, save that an
   * exploded one may be an empty array. Where a URI can be read in several ways (`{a}-{b}`), variables
   * further left take as little as possible. A map is not turned back into one.
   *
   * Refused in every value, after decoding: control characters, invalid UTF-8, the segments `.` and `..`,
   * a leading slash, backslash or drive letter. Slashes and backslashes elsewhere pass in `{+…}`, `{#…}`,
   * `{?…}` and `{&…}` only. This keeps lexical traversal out; a handler that reads files still has to
   * resolve symbolic links.
   */
  match(uri: string): Record<string, string | string[]> | undefined
}

/**
 * Parses a template of at most 2048 bytes and 32 variables, each named once.
 *
 * @throws `ERR_MCP_URI_TEMPLATE` for a malformed template, with the position and what to write instead.
 */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseParts(template)
  const matcher = compileParts(parts)
  return {
    template,
    parts,
    variables: parts.flatMap((part) =>
      part.kind === 'expression' ? part.variables.map((variable) => variable.name) : [],
    ),
    specificity: specificityOf(parts),
    match: (uri) => matchUri(matcher, uri),
  }
}

/**
 * Orders templates, the most specific first, for `Array.prototype.sort`: more literal characters, then
 * fewer variables, then fewer that span segments, then the template's text by code units. Only equal
 * templates compare as equal, so the winner never depends on the order of registration.
 */
export function compareSpecificity(a: UriTemplate, b: UriTemplate): number {
  return (
    b.specificity.literals - a.specificity.literals ||
    a.specificity.variables - b.specificity.variables ||
    a.specificity.reserved - b.specificity.reserved ||
    (a.template < b.template ? -1 : Number(a.template > b.template))
  )
}

function specificityOf(parts: readonly Part[]): TemplateSpecificity {
  let literals = 0
  let variables = 0
  let reserved = 0
  for (const part of parts) {
    if (part.kind === 'literal') {
      literals += part.text.length
      continue
    }
    variables += part.variables.length
    if (part.operator === '+' || part.operator === '#') reserved += part.variables.length
  }
  return { literals, variables, reserved }
}

function matchUri(matcher: Matcher, uri: string): Record<string, string | string[]> | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined
  let encoded: string
  try {
    encoded = canonical(uri)
  } catch {
    return undefined
  }
  if (encoded.length > MAX_URI_LENGTH) return undefined
  const spans = scan(matcher.steps, encoded)
  if (spans === undefined) return undefined

  const values = new Map<string, string | string[]>()
  for (const [index, reader] of matcher.readers.entries()) {
    const span = spans[index]
    const read = reader.kind === 'items' ? readItems(reader, span, values) : readPairs(reader, span, values)
    if (!read) return undefined
  }
  // Defines own properties, `__proto__` too, where assignment would set the prototype.
  return Object.fromEntries(values)
}

type Values = Map<string, string | string[]>
type ItemsReader = Extract<Reader, { kind: 'items' }>
type PairsReader = Extract<Reader, { kind: 'pairs' }>

/** Adds the span's values; false if one is refused. */
function readItems(reader: ItemsReader, span: string | undefined, values: Values): boolean {
  const { variable, separator, shape } = reader
  if (!variable.explode) {
    const value = span === undefined ? undefined : decodeValue(span, shape, variable.maxLength)
    if (value === undefined) return false
    values.set(variable.name, value)
    return true
  }
  const items: string[] = []
  for (const item of span === undefined ? [] : span.split(separator)) {
    const value = decodeValue(item, shape, variable.maxLength)
    if (value === undefined) return false
    items.push(value)
  }
  values.set(variable.name, items)
  return true
}

/** Adds the values of a query or of path parameters; false if one is refused, unknown or repeated. */
function readPairs(reader: PairsReader, span: string | undefined, values: Values): boolean {
  if (span === undefined) return true
  for (const pair of span.split(reader.separator)) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    const variable = reader.variables.get(name)
    if (variable === undefined) return false
    const shape = reader.separator === ';' ? 'segment' : 'path'
    const value = decodeValue(equals === -1 ? '' : pair.slice(equals + 1), shape, variable.maxLength)
    if (value === undefined) return false
    const earlier = values.get(variable.name)
    if (earlier === undefined) {
      values.set(variable.name, variable.explode ? [value] : value)
    } else if (Array.isArray(earlier)) {
      earlier.push(value)
    } else {
      return false
    }
  }
  return true
}
