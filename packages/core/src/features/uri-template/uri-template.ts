import { canonical, compileParts } from './compile.ts'
import { parseParts, type Expression } from './parse.ts'
import { scan } from './scan.ts'

/** The maximum length of a percent-encoded URI. Each character costs the scanner a bounded number of steps. */
const MAX_URI_LENGTH = 8192

/**
 * A URI template, levels 1 to 4. It is immutable and may be shared.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export interface UriTemplate {
  readonly template: string
  /** The names of all variables, in the template's order. */
  readonly variables: readonly string[]
  /** The number of characters outside expressions. */
  readonly literals: number
  /** The number of variables in `{+…}` and `{#…}`. Their values may span path segments. */
  readonly reserved: number
  /**
   * Returns the values in a URI, percent-decoded exactly once; undefined if the URI does not match, is longer
   * than 8192 characters in its percent-encoded form, or contains a rejected value.
   *
   * The value of an exploded variable (`{list*}`) is an array; all other values are strings. Variables in
   * `{;…}`, `{?…}` and `{&…}` are optional and may occur in any order. A URI does not match if it contains a
   * name that is not in the template, or a second value for a variable that is not exploded. All other
   * variables are required and not empty, except that an exploded variable may be an empty array. If a URI
   * can be read in several ways (`{a}-{b}`), variables further left match as little as possible. Exploded
   * maps are not converted back to objects.
   *
   * The following are rejected in every value, after decoding: control characters, invalid UTF-8, the
   * segments `.` and `..`, a leading slash, backslash or drive letter. Slashes and backslashes elsewhere are
   * allowed only in `{+…}`, `{#…}`, `{?…}` and `{&…}`. This prevents path traversal through the text of the
   * URI, but a handler that reads files must still resolve symbolic links.
   */
  match(uri: string): Record<string, string | string[]> | undefined
}

/**
 * Parses a template with at most 2048 bytes and 32 variables, each used once.
 *
 * @throws `ERR_MCP_URI_TEMPLATE` with the position and a correction
 */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseParts(template)
  const matcher = compileParts(parts)
  const expressions = parts.filter((part) => part.kind === 'expression')
  const reserved = expressions.filter(({ operator }) => operator === '+' || operator === '#')
  return {
    template,
    variables: namesIn(expressions),
    literals: parts.reduce((sum, part) => sum + (part.kind === 'literal' ? part.text.length : 0), 0),
    reserved: namesIn(reserved).length,
    match: (uri) => matchUri(matcher, uri),
  }
}

const namesIn = (expressions: readonly Expression[]): string[] =>
  expressions.flatMap(({ variables }) => variables.map(({ name }) => name))

/**
 * Compares templates to sort them, most specific first: those with more literal characters, then those with
 * fewer variables, then those with fewer variables that span segments. Finally, the templates' texts are
 * compared by code units. Only identical templates compare as equal, so the order of registration never
 * matters.
 */
export function compareSpecificity(a: UriTemplate, b: UriTemplate): number {
  return (
    b.literals - a.literals ||
    a.variables.length - b.variables.length ||
    a.reserved - b.reserved ||
    (a.template < b.template ? -1 : Number(a.template > b.template))
  )
}

function matchUri(
  { steps, readers }: ReturnType<typeof compileParts>,
  uri: string,
): Record<string, string | string[]> | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined
  let encoded: string
  try {
    encoded = canonical(uri)
  } catch {
    return undefined
  }
  if (encoded.length > MAX_URI_LENGTH) return undefined
  const spans = scan(steps, encoded)
  if (spans === undefined) return undefined
  const values = new Map<string, string | string[]>()
  if (!readers.every((read, index) => read(spans[index], values))) return undefined
  // `Object.fromEntries` defines own properties, even for `__proto__`, where an assignment would set the
  // prototype.
  return Object.fromEntries(values)
}

/** A variable, with its name, its value's type, and whether a URI may omit it. */
type Variable = readonly [name: string, value: string | string[], presence: 'required' | 'optional']

type OneVariable<Text extends string, Presence extends Variable[2]> = Text extends `${infer Name}*`
  ? readonly [Name, string[], Presence]
  : Text extends `${infer Name}:${string}`
    ? readonly [Name, string, Presence]
    : readonly [Text, string, Presence]

// Both recursions accumulate their result, so that the compiler treats them as loops.
type VariableList<
  Text extends string,
  Presence extends Variable[2],
  Found extends Variable = never,
> = Text extends `${infer Head},${infer Tail}`
  ? VariableList<Tail, Presence, Found | OneVariable<Head, Presence>>
  : Found | OneVariable<Text, Presence>

type ExpressionVariables<Text extends string> = Text extends `${';' | '?' | '&'}${infer List}`
  ? VariableList<List, 'optional'>
  : Text extends `${'+' | '#' | '.' | '/'}${infer List}`
    ? VariableList<List, 'required'>
    : VariableList<Text, 'required'>

type AllVariables<
  Text extends string,
  Found extends Variable = never,
> = Text extends `${string}{${infer Inner}}${infer Rest}`
  ? AllVariables<Rest, Found | ExpressionVariables<Inner>>
  : Found

type VariablesObject<Found extends Variable> = {
  [One in Found as One[2] extends 'required' ? One[0] : never]: One[1]
} & { [One in Found as One[2] extends 'optional' ? One[0] : never]?: One[1] }

/**
 * The values for a template's literal type: `{ country: string; city: string }` for
 * `'weather://{country}/{city}'`. Exploded variables are arrays; variables in `{;…}`, `{?…}` and `{&…}` are
 * optional. For the type `string`, the values are a record.
 */
export type TemplateVariables<Template extends string> = string extends Template
  ? Record<string, string | string[]>
  : // Makes editors show the properties instead of the name of a helper type.
    VariablesObject<AllVariables<Template>> extends infer Values
    ? { [Name in keyof Values]: Values[Name] }
    : never
