import type { McpError } from '../errors.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import { decodeHeaderText, headerMismatch, trimHeader } from '../protocol/header-text.ts'
import type { Exchange } from '../runtime/exchange.ts'
import type { JsonSchema } from '../schema/types.ts'
import { mapParts } from '../schema/walk.ts'
import { fault, type Subject } from './checks.ts'

/** A parameter that clients repeat in a header of HTTP. */
export interface HeaderParameter {
  /** Whole, as it is written in messages. */
  readonly header: string
  /** The names that lead to the value, from the root of the arguments. */
  readonly path: readonly string[]
}

/** The keyword in a parameter's schema: https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header */
const KEYWORD = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean']

/**
 * The parameters that a schema wants to see in headers; undefined where there are none. Clients leave out a tool that
 * says it wrongly, so it is refused here.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION`
 */
export function headerParameters(
  subject: Subject,
  schema: JsonSchema,
): readonly HeaderParameter[] | undefined {
  const found: HeaderParameter[] = []
  const taken = new Map<string, string>()
  const wrong = (path: readonly string[], problem: string): Error =>
    fault(subject, 'ERR_MCP_INVALID_DEFINITION', `has an ${KEYWORD} at ${shown(path)} ${problem}`)
  const note = (part: JsonSchema, path: readonly string[]): void => {
    const name = part[KEYWORD]
    if (typeof name !== 'string' || !TOKEN.test(name))
      throw wrong(path, 'that names no header: give letters, digits and hyphens, such as "Region"')
    if (!TYPES.includes(part['type']))
      throw wrong(path, 'on a type that no header carries: use one string, integer or boolean, without null')
    const other = taken.get(name.toLowerCase())
    if (other !== undefined)
      throw wrong(path, `that ${other} has already, since headers have no case: give another name`)
    taken.set(name.toLowerCase(), shown(path))
    found.push({ header: `Mcp-Param-${name}`, path })
  }
  const refuse = (part: JsonSchema, path: readonly string[], keyword: string): JsonSchema => {
    if (Object.hasOwn(part, KEYWORD))
      throw wrong(
        path,
        `within "${keyword}", from where no header is read: move it to a property that "properties" alone lead to`,
      )
    return mapParts(part, (inner) => refuse(inner, path, keyword))
  }
  const visit = (part: JsonSchema, path: readonly string[]): void => {
    if (Object.hasOwn(part, KEYWORD)) note(part, path)
    const { properties, ...rest } = part
    mapParts(rest, (inner, keyword) => refuse(inner, path, keyword))
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {}))
      if (isObject(property)) visit(property, [...path, name])
  }
  visit(schema, [])
  return found.length === 0 ? undefined : found
}

const shown = (path: readonly string[]): string =>
  path.length === 0 ? 'the root' : JSON.stringify(path.join('.'))

/**
 * The first parameter whose header does not say what the arguments say. A proxy has let the call through by its
 * headers, so that they are held against the arguments as they came, before defaults and transforms. What has no header
 * text at all, an object where a text belongs, is left to the schema unless a header speaks for it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-behavior-for-custom-headers
 */
export function parameterFault(
  parameters: readonly HeaderParameter[],
  args: JsonObject,
  exchange: Exchange,
): McpError | undefined {
  if (exchange.headers === undefined) return undefined
  const odd = parameters.find(({ header, path }) => {
    const values = exchange.headers?.(header.toLowerCase()) ?? []
    const value = valueAt(args, path)
    if (values.length > 1) return true
    return values[0] === undefined ? isPrimitive(value) : !isSame(value, values[0])
  })
  return odd && headerMismatch(odd.header)
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let at: unknown = args
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

const isPrimitive = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** As JSON writes them, though 42.0 is 42: `Number` itself would read an empty text, or hexadecimal digits. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function isSame(value: unknown, header: string): boolean {
  const text = decodeHeaderText(trimHeader(header))
  if (text === undefined) return false
  if (typeof value === 'string') return text === value
  if (typeof value === 'boolean') return text === String(value)
  // Beyond the safe range two texts are one number, and a proxy may have read the other one.
  return Number.isSafeInteger(value) && NUMBER.test(text) && Number(text) === value
}
