import { usageError } from '../../../src/errors.ts'
import { OPERATOR_RULES, type OperatorRules } from '../../../src/features/uri-template/compile.ts'
import { parseParts, type Expression, type VariableSpec } from '../../../src/features/uri-template/parse.ts'

/** A string, an array, or an associative array. Empty arrays count as undefined. */
type TemplateValue = string | readonly string[] | Readonly<Record<string, string>>

interface Operator extends OperatorRules {
  /** The text after the name of a variable whose value is empty. */
  readonly ifEmpty: string
}

/**
 * Expands a template. Only tests use it, to check that `match` returns the values. Servers never expand
 * templates.
 * @see https://www.rfc-editor.org/rfc/rfc6570#section-3
 */
export function expandUriTemplate(
  template: string,
  values: Readonly<Record<string, TemplateValue | undefined>>,
): string {
  return parseParts(template)
    .map((part) => (part.kind === 'literal' ? encodeReserved(part.text) : expandExpression(part, values)))
    .join('')
}

function expandExpression(
  expression: Expression,
  values: Readonly<Record<string, TemplateValue | undefined>>,
): string {
  const rules = OPERATOR_RULES[expression.operator]
  const operator = { ...rules, ifEmpty: rules.separator === '&' ? '=' : '' }
  const expanded = expression.variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    return value === undefined ? [] : (expandVariable(variable, value, operator) ?? [])
  })
  return expanded.length === 0 ? '' : operator.first + expanded.join(operator.separator)
}

function expandVariable(
  variable: VariableSpec,
  value: TemplateValue,
  operator: Operator,
): string | undefined {
  const { name, explode, maxLength } = variable
  const encode = (text: unknown): string => encodeValue(name, text, operator)
  const pair = (key: string, encoded: string): string =>
    encoded === '' ? key + operator.ifEmpty : `${key}=${encoded}`

  if (typeof value === 'object') {
    if (maxLength !== Infinity)
      throw badValue(name, 'has a prefix length, which applies to strings only', 'Pass a string')
    const items = Array.isArray(value)
      ? (value as readonly unknown[]).map((item) => ({ key: undefined, text: encode(item) }))
      : Object.entries(value).map(([key, item]) => ({ key: encode(key), text: encode(item) }))
    if (items.length === 0) return undefined
    if (explode) {
      return items
        .map(({ key, text }) => {
          if (operator.named) return pair(key ?? name, text)
          return key === undefined ? text : `${key}=${text}`
        })
        .join(operator.separator)
    }
    const joined = items.map(({ key, text }) => (key === undefined ? text : `${key},${text}`)).join(',')
    return operator.named ? pair(name, joined) : joined
  }
  const whole = maxLength === Infinity || typeof value !== 'string'
  const encoded = encode(whole ? value : Array.from(value).slice(0, maxLength).join(''))
  return operator.named ? pair(name, encoded) : encoded
}

function encodeValue(name: string, text: unknown, operator: Operator): string {
  if (typeof text !== 'string')
    throw badValue(name, `cannot expand a value of type ${typeof text}`, 'Convert it to a string')
  try {
    return operator.reserved ? encodeReserved(text) : encodeUnreserved(text)
  } catch {
    throw badValue(name, 'holds a lone surrogate, which UTF-8 cannot encode', 'Pass well-formed text')
  }
}

/** Encodes everything except unreserved characters; `encodeURIComponent` leaves five more unencoded. */
const encodeUnreserved = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Encodes everything except reserved characters, unreserved characters and percent-encoded triplets. */
const encodeReserved = (text: string): string =>
  text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu, (found) =>
    /^%../.test(found) ? found : encodeURIComponent(found),
  )

const badValue = (name: string, problem: string, remedy: string): Error =>
  usageError('ERR_MCP_URI_TEMPLATE', `URI template variable "${name}" ${problem}. ${remedy}.`)
