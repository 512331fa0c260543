import type { McpError } from '../../errors.ts'
import { decodeHeaderText, headerMismatch, trimHeader } from '../../protocol/header-text.ts'
import { isObject, type JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import type { HttpRequest } from '../types.ts'

/**
 * Headers that a proxy and this server may interpret differently if they are repeated. In addition, all `Mcp-*`
 * headers are checked.
 */
const UNIQUE: ReadonlyMap<string, number> = new Map([
  // Each header has one bit, because a list would need one allocation per request.
  ['authorization', 1],
  ['content-type', 2],
  ['host', 4],
  ['origin', 8],
  ['last-event-id', 16],
  ['mcp-session-id', 32],
  ['mcp-protocol-version', 64],
  ['mcp-method', 128],
  ['mcp-name', 256],
])

/**
 * Returns the first header that is repeated although it must not be, from a list like Node's `rawHeaders`. In
 * HTTP/2, `Host` counts as repeated if it differs from `:authority`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9113#section-8.3.1
 */
export function duplicateHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0
  let others: string[] | undefined
  let authority: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (!mayMatter(name)) continue
    const lower = name.toLowerCase()
    // Pseudo-headers precede all other headers.
    if (lower === ':authority') authority = rawHeaders[i + 1]
    if (lower === 'host' && authority !== undefined && differ(authority, rawHeaders[i + 1])) return lower
    const bit = UNIQUE.get(lower)
    if (bit !== undefined) {
      if ((seen & bit) !== 0) return lower
      seen |= bit
    } else if (lower.startsWith('mcp-')) {
      if (others?.includes(lower) === true) return lower
      ;(others ??= []).push(lower)
    }
  }
  return undefined
}

const differ = (authority: string, host = ''): boolean => authority.toLowerCase() !== host.toLowerCase()

/**
 * Returns whether a header could be one of these, judging by its first letter and its length. This cheap test
 * excludes most headers.
 */
function mayMatter(name: string): boolean {
  switch (name.charCodeAt(0) | 0x20) {
    case 0x3a:
      return name.length === 10
    case 0x61:
      return name.length === 13
    case 0x63:
      return name.length === 12
    case 0x68:
      return name.length === 4
    case 0x6c:
      return name.length === 13
    case 0x6f:
      return name.length === 6
    case 0x6d:
      return true
    default:
      return false
  }
}

/** The maximum number of cached values per header. Clients use only a few values, but could send any number. */
const MAX_REMEMBERED = 64

/** Caches the results of a pure function for the first few strings. */
export function remember<T>(decide: (text: string) => T, max: number = MAX_REMEMBERED): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = decide(text)
    if (known.size < max) known.set(text, result)
    return result
  }
}

/**
 * Returns whether a Content-Type is `application/json`, parsed as in RFC 9110 §8.3. A substring test would
 * also accept types that browsers send to other sites without a preflight request. Control characters,
 * repeated parameters and charsets other than UTF-8 are rejected, because a proxy might interpret them
 * differently.
 */
export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || (contentType !== undefined && parsedJson(contentType))
}

const parsedJson = remember((contentType) => {
  const [type = '', ...parameters] = contentType.split(';')
  if (type.trimEnd().toLowerCase() !== 'application/json' || /[^\x20-\x7e]/.test(contentType)) return false
  const seen = new Set<string>()
  return parameters.every((parameter) => {
    const match = PARAMETER.exec(parameter)
    const name = match?.[1]?.toLowerCase()
    if (name === undefined || seen.has(name)) return false
    seen.add(name)
    return name !== 'charset' || /^"?utf-8"?$/i.test(match?.[2] ?? '')
  })
})

const PARAMETER = /^ *([!#$%&'*+.^_`|~0-9a-z-]+)=([!#$%&'*+.^_`|~0-9a-z-]+|"[^"\\;]*") *$/i

/** The media types that a client accepts. */
export interface Accepted {
  readonly json: boolean
  readonly sse: boolean
}

/**
 * Parses an Accept header as in RFC 9110 §12.5.1: the most specific range applies, and a weight of zero means
 * that the type is not accepted.
 */
export const accepted: (accept: string) => Accepted = remember((accept) => {
  const weights = new Map<string, boolean>()
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';')
    const refused = parameters.some((parameter) => /^\s*q=0(?:\.0{0,3})?\s*$/i.test(parameter))
    weights.set(range.trim().toLowerCase(), !refused)
  }
  const takes = (type: string, anyOfKind: string): boolean =>
    weights.get(type) ?? weights.get(anyOfKind) ?? weights.get('*/*') ?? false
  return { json: takes('application/json', 'application/*'), sse: takes('text/event-stream', 'text/*') }
})

/** The parameter that the `Mcp-Name` header repeats, keyed by method. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  [Method.CallTool, 'name'],
  [Method.GetPrompt, 'name'],
  [Method.ReadResource, 'uri'],
])

/**
 * Checks the headers that repeat parts of the body, so that proxies need not read it. They must match the
 * body. Otherwise, a proxy that admits a call because of its headers could admit a different call.
 *
 * @param added - the parameter that `Mcp-Name` repeats, keyed by the extension's method
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function checkRoutingHeaders(
  request: HttpRequest,
  { method, params }: JsonRpcRequest,
  added: ReadonlyMap<string, string>,
): McpError | undefined {
  if (valueOf(request, 'mcp-method') !== method) return headerMismatch('Mcp-Method')
  const member = NAMED_BY.get(method) ?? added.get(method)
  if (member === undefined) return undefined
  const expected = isObject(params) ? params[member] : undefined
  // A header can repeat only a string. The method itself rejects other types.
  if (typeof expected !== 'string') return undefined
  const header = valueOf(request, 'mcp-name')
  return header !== undefined && decodeHeaderText(header) === expected
    ? undefined
    : headerMismatch('Mcp-Name')
}

function valueOf(request: HttpRequest, name: string): string | undefined {
  const value = request.header(name)
  return value === undefined ? undefined : trimHeader(value)
}
