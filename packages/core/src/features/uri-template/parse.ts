import { usageError } from '../../errors.ts'

/** `''` stands for simple string expansion (`{name}`). */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&'

export interface VariableSpec {
  readonly name: string
  readonly explode: boolean
  /** The length limit set by the prefix modifier, in code points; `Infinity` if there is none. */
  readonly maxLength: number
}

interface Literal {
  readonly kind: 'literal'
  readonly text: string
}

export interface Expression {
  readonly kind: 'expression'
  readonly operator: Operator
  readonly variables: readonly VariableSpec[]
}

export type Part = Literal | Expression

const MAX_TEMPLATE_BYTES = 2048
const MAX_VARIABLES = 32

const OPERATORS = '+#./;?&'
const RESERVED_OPERATORS = '=,!@|'
const NAME = /^(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*$/
/**
 * Characters that literals must not contain. The RFC's grammar omits the apostrophe, which is allowed here because it
 * is a sub-delimiter in URIs.
 */
// oxlint-disable-next-line no-control-regex
const BAD_LITERAL = /[\u0000-\u0020"<>\\^`|}\u007f-\u009f\p{Cs}]|%(?![0-9A-Fa-f]{2})/u

/** Throws an error about a position in the template. The message counts positions from 1, as editors do. */
type Fail = (index: number, problem: string, remedy: string) => never

/**
 * Splits a template into literals and expressions.
 *
 * @throws `ERR_MCP_URI_TEMPLATE`
 * @see https://www.rfc-editor.org/rfc/rfc6570#section-2
 */
export function parseParts(template: string): readonly Part[] {
  if (new TextEncoder().encode(template).length > MAX_TEMPLATE_BYTES) {
    throw usageError(
      'ERR_MCP_URI_TEMPLATE',
      `URI template starting with "${template.slice(0, 40)}" is longer than ${MAX_TEMPLATE_BYTES} bytes. Shorten it.`,
    )
  }
  const fail: Fail = (index, problem, remedy) => {
    throw usageError(
      'ERR_MCP_URI_TEMPLATE',
      `URI template "${template}", character ${index + 1}: ${problem}. ${remedy}.`,
    )
  }
  const parts: Part[] = []
  const names = new Set<string>()
  let index = 0
  while (index < template.length) {
    const open = template.indexOf('{', index)
    const literalEnd = open === -1 ? template.length : open
    if (literalEnd > index) parts.push(parseLiteral(template.slice(index, literalEnd), index, fail))
    if (open === -1) break
    const close = template.indexOf('}', open)
    if (close === -1) fail(open, 'this "{" is never closed', 'Add the "}", or write a literal brace as %7B')
    parts.push(parseExpression(template.slice(open + 1, close), open + 1, names, fail))
    index = close + 1
  }
  return parts
}

function parseLiteral(text: string, start: number, fail: Fail): Literal {
  const bad = BAD_LITERAL.exec(text)
  if (bad !== null) {
    const at = start + bad.index
    if (bad[0] === '}') fail(at, 'this "}" closes nothing', 'Add the "{", or write a literal brace as %7D')
    if (bad[0] === '%') fail(at, 'a lone "%"', 'Follow it by two hexadecimal digits, or write %25')
    fail(at, `${JSON.stringify(bad[0])} is not allowed in a URI`, 'Percent-encode it')
  }
  return { kind: 'literal', text }
}

function parseExpression(body: string, start: number, names: Set<string>, fail: Fail): Expression {
  if (body === '') fail(start, 'an empty expression', 'Name a variable between the braces')
  const first = body.charAt(0)
  if (RESERVED_OPERATORS.includes(first)) {
    fail(start, `the operator "${first}" is reserved by RFC 6570`, `Use none, or one of ${OPERATORS}`)
  }
  const operator = (OPERATORS.includes(first) ? first : '') as Operator
  const variables: VariableSpec[] = []
  let index = start + operator.length
  for (const text of body.slice(operator.length).split(',')) {
    const variable = parseVariable(text, index, fail)
    if (names.has(variable.name)) {
      fail(index, `the variable "${variable.name}" occurs twice`, 'Give each variable its own name')
    }
    names.add(variable.name)
    if (names.size > MAX_VARIABLES) {
      fail(index, `more than ${MAX_VARIABLES} variables`, 'Split the template, or use one exploded variable')
    }
    variables.push(variable)
    index += text.length + 1
  }
  return { kind: 'expression', operator, variables }
}

function parseVariable(text: string, start: number, fail: Fail): VariableSpec {
  const explode = text.endsWith('*')
  const [name = '', prefix, ...rest] = (explode ? text.slice(0, -1) : text).split(':')
  if (!NAME.test(name)) {
    fail(
      start,
      `"${name}" is not a variable name`,
      'Use letters, digits, "_" and percent triplets, with single dots between them',
    )
  }
  if (prefix === undefined) return { name, explode, maxLength: Infinity }
  const at = start + name.length
  if (explode) fail(at, 'a prefix and "*" on one variable', 'Keep one of them')
  if (rest.length > 0 || !/^[1-9]\d{0,3}$/.test(prefix)) {
    fail(at, 'a prefix length that is not a number from 1 to 9999', 'Write it as in {name:3}')
  }
  return { name, explode, maxLength: Number(prefix) }
}
