import type { McpError } from '../../errors.ts'
import { decodeHeaderText, headerMismatch, trimHeader } from '../../protocol/header-text.ts'
import { isObject, type JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import type { HttpRequest } from '../types.ts'

/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  [Method.CallTool, 'name'],
  [Method.GetPrompt, 'name'],
  [Method.ReadResource, 'uri'],
])

/**
 * Checks the headers that repeat parts of the body, so that proxies need not read it. They must equal the body,
 * because a proxy that admits a call by its headers must not admit a different one.
 *
 * @param added - the parameter that `Mcp-Name` repeats, by the method of an extension
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
  // A header cannot repeat other types. The method refuses them.
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
