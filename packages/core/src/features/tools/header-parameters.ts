import type { McpError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { decodeHeaderText, headerMismatch, trimHeader } from '../../protocol/header-text.ts'
import type { Exchange } from '../../call/exchange.ts'
import { findHeaderParameters, type HeaderParameter } from '../../schema/uses/header-parameters.ts'
import type { JsonSchema } from '../../schema/types.ts'
import { invalid, type Subject } from '../registry/checks.ts'

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
  const found = findHeaderParameters(schema)
  if (!found.ok) throw invalid(subject, found.problem)
  return found.parameters.length === 0 ? undefined : found.parameters
}

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

/** The value that a path leads to. */
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
