import { ToolError } from '@jetway/core'
import type { Serialization } from '../document/model.ts'
import { isJson } from '../document/values.ts'

/** Everything that RFC 3986 reserves, but what would end the value: `#`, `&`, and `+`, which many decode to a space. */
const RESERVED = /%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g

/**
 * Has one parameter, because it is passed to `map`, which gives more.
 *
 * @throws ToolError for text that is not Unicode
 */
export function encode(text: string): string {
  try {
    // encodeURIComponent leaves these, which RFC 3986 reserves.
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  } catch {
    throw new ToolError('An argument has half of a Unicode character')
  }
}

const encodeReserved = (text: string): string =>
  encode(text).replace(RESERVED, (code) => decodeURIComponent(code))

/** The text of a value that has no parts, or whose parts no style can separate. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return value
  // Arguments are JSON, so other values are numbers, booleans and containers, which JSON writes.
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

type Named = Serialization & { readonly name: string }

/** The parts of a value: items of an array, or names and values of an object. */
type Parts =
  | { readonly kind: 'one'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, string])[] }

function partsOf(value: unknown, { json }: Serialization): Parts {
  if (json) return { kind: 'one', text: JSON.stringify(value) }
  if (Array.isArray(value))
    return { kind: 'list', items: value.filter((item) => item !== null).map((item) => plain(item)) }
  if (!isJson(value)) return { kind: 'one', text: plain(value) }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
  return { kind: 'map', entries: entries.map(([name, item]) => [name, plain(item)]) }
}

/**
 * Writes a value by the styles `simple`, `label` and `matrix`.
 *
 * @param code - encodes each name and value
 * @see https://spec.openapis.org/oas/v3.1.1.html#style-examples
 */
export function inPath(parameter: Named, value: unknown, code: (text: string) => string = encode): string {
  const { style, explode } = parameter
  const parts = partsOf(value, parameter)
  const delimiter =
    style === 'tabDelimited'
      ? '%09'
      : style === 'pipeDelimited'
        ? '%7C'
        : style === 'spaceDelimited'
          ? '%20'
          : ','
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : ''
  const between = explode && prefix !== '' ? prefix : delimiter
  const named = (text: string): string =>
    text === '' ? code(parameter.name) : `${code(parameter.name)}=${text}`
  const isNamed = style === 'matrix'
  if (parts.kind === 'one') return prefix + (isNamed ? named(code(parts.text)) : code(parts.text))
  if (parts.kind === 'list') {
    const items = parts.items.map(code)
    if (isNamed && explode) return prefix + items.map(named).join(between)
    return prefix + (isNamed ? named(items.join(between)) : items.join(between))
  }
  const pairs = parts.entries.map(([name, text]) => code(name) + (explode ? '=' : delimiter) + code(text))
  return prefix + (isNamed && !explode ? named(pairs.join(between)) : pairs.join(between))
}

/** Writes a value as `name=value`, once or several times. An empty array and an empty object are not written. */
export function inQuery(parameter: Named, value: unknown): readonly string[] {
  const { name, style, explode, allowReserved } = parameter
  const code = allowReserved ? encodeReserved : encode
  const pair = (key: string, text: string): string => `${encode(key)}=${text}`
  if (style === 'deepObject' && typeof value === 'object' && value !== null)
    return deep(name, value).map(([key, text]) => pair(key, code(text)))
  const parts = partsOf(value, parameter)
  if (parts.kind === 'one') return [pair(name, code(parts.text))]
  if (explode) {
    if (parts.kind === 'list') return parts.items.map((item) => pair(name, code(item)))
    return parts.entries.map(([key, text]) => pair(key, code(text)))
  }
  const items = parts.kind === 'list' ? parts.items.map(code) : parts.entries.flat().map(code)
  return items.length === 0 ? [] : [pair(name, items.join(DELIMITERS[style] ?? ','))]
}

const DELIMITERS: Readonly<Record<string, string>> = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
  tabDelimited: '%09',
}

/** The specification defines one level. APIs with more use the brackets of PHP and Rails. */
function deep(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return [[name, plain(value)]]
  return Object.entries(value).flatMap(([key, item]) => deep(`${name}[${key}]`, item))
}
