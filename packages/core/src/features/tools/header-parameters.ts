import type { McpError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { decodeHeaderText, headerMismatch, trimHeader } from '../../protocol/header-text.ts'
import type { Exchange } from '../../call/exchange.ts'
import { findHeaderParameters, type HeaderParameter } from '../../schema/uses/header-parameters.ts'
import type { JsonSchema } from '../../schema/types.ts'
import { invalid, type Subject } from '../registry/checks.ts'

/**
 * Returns the parameters that clients repeat in headers, or undefined if there are none. Rejects a tool whose
 * header annotations are invalid, because clients would ignore the tool.
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
 * Returns the error for the first parameter whose header differs from the argument. A proxy may have admitted
 * the call because of its headers, so they are compared with the arguments as the client sent them, before
 * defaults and transforms. A value that cannot be represented in a header, such as an object, may lack its
 * header; only the schema then checks the value.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-behavior-for-custom-headers
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

/** Matches a JSON number, because `Number` alone would accept an empty string or hexadecimal digits. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function isSame(value: unknown, header: string): boolean {
  const text = decodeHeaderText(trimHeader(header))
  if (text === undefined) return false
  if (typeof value === 'string') return text === value
  if (typeof value === 'boolean') return text === String(value)
  // Outside the safe range, two different strings may denote the same number, and a proxy may have acted on
  // the other string.
  return Number.isSafeInteger(value) && NUMBER.test(text) && Number(text) === value
}
