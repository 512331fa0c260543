import { usageError } from '../../errors.ts'
import { encodeReserved, encodeUnreserved } from './encode.ts'
import type { Expression, Operator, Part, VariableSpec } from './parse.ts'

/** A string, a list, or an associative array. Empty lists and arrays count as undefined. */
export type TemplateValue = string | readonly string[] | Readonly<Record<string, string>>

/** Values by variable name; what is missing or undefined is left out of the URI. */
export type TemplateValues = Readonly<Record<string, TemplateValue | undefined>>

export interface OperatorRules {
  /** Before the first defined variable. */
  readonly first: string
  readonly separator: string
  /** Whether values are written as `name=value`. */
  readonly named: boolean
  /** After the name of an empty value. */
  readonly ifEmpty: string
  /** Whether reserved characters stay as they are. */
  readonly reserved: boolean
}

const rules = (first: string, separator: string): OperatorRules => ({
  first,
  separator,
  named: false,
  ifEmpty: '',
  reserved: false,
})

/** @see https://www.rfc-editor.org/rfc/rfc6570#appendix-A */
export const OPERATOR_RULES: Readonly<Record<Operator, OperatorRules>> = {
  '': rules('', ','),
  '+': { ...rules('', ','), reserved: true },
  '#': { ...rules('#', ','), reserved: true },
  '.': rules('.', '.'),
  '/': rules('/', '/'),
  ';': { ...rules(';', ';'), named: true },
  '?': { ...rules('?', '&'), named: true, ifEmpty: '=' },
  '&': { ...rules('&', '&'), named: true, ifEmpty: '=' },
}

/**
 * The URI that a template makes of values, which `match` gives back. Apart from the template, since servers only match.
 *
 * @throws `ERR_MCP_URI_TEMPLATE` for a value that is no well-formed string, list or map of strings, and for a list or map
 *   where the template gives a prefix length
 * @see https://www.rfc-editor.org/rfc/rfc6570#section-3
 */
export function expandUriTemplate(
  { parts }: { readonly parts: readonly Part[] },
  values: TemplateValues,
): string {
  let uri = ''
  for (const part of parts) {
    uri += part.kind === 'literal' ? encodeReserved(part.text) : expandExpression(part, values)
  }
  return uri
}

function expandExpression(expression: Expression, values: TemplateValues): string {
  const operator = OPERATOR_RULES[expression.operator]
  const expanded: string[] = []
  for (const variable of expression.variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    if (value === undefined || value === null) continue
    const text = expandVariable(variable, value, operator)
    if (text !== undefined) expanded.push(text)
  }
  return expanded.length === 0 ? '' : operator.first + expanded.join(operator.separator)
}

function expandVariable(
  variable: VariableSpec,
  value: TemplateValue,
  operator: OperatorRules,
): string | undefined {
  const { name, explode, maxLength } = variable
  const encode = (text: unknown): string => encodeValue(name, text, operator)
  const pair = (key: string, encoded: string): string =>
    encoded === '' ? key + operator.ifEmpty : `${key}=${encoded}`

  if (typeof value === 'object') {
    if (maxLength !== Infinity) {
      throw badValue(name, 'has a prefix length, which applies to strings only', 'Pass a string')
    }
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

function encodeValue(name: string, text: unknown, operator: OperatorRules): string {
  if (typeof text !== 'string') {
    throw badValue(name, `cannot expand a value of type ${typeof text}`, 'Convert it to a string')
  }
  try {
    return operator.reserved ? encodeReserved(text) : encodeUnreserved(text)
  } catch {
    throw badValue(name, 'holds a lone surrogate, which UTF-8 cannot encode', 'Pass well-formed text')
  }
}

const badValue = (name: string, problem: string, remedy: string): Error =>
  usageError('ERR_MCP_URI_TEMPLATE', `URI template variable "${name}" ${problem}. ${remedy}.`)
