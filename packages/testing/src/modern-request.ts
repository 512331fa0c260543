import { isObject, type JsonObject } from '@jetway/core/protocol'

/** The metadata that a client sends with every stateless request. */
export interface Sender {
  readonly revision: string
  readonly capabilities: JsonObject
  readonly clientInfo: JsonObject
}

/**
 * Returns the params of a stateless request. The test's own `_meta` takes precedence over the sender's.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export function withMeta(params: JsonObject | undefined, sender: Sender): JsonObject {
  const own = params?.['_meta']
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': sender.revision,
      'io.modelcontextprotocol/clientCapabilities': sender.capabilities,
      'io.modelcontextprotocol/clientInfo': sender.clientInfo,
      ...(isObject(own) ? own : {}),
    },
  }
}

/** The params that an `Mcp-Name` header may repeat. Each method has at most one of them. */
const NAMES = ['name', 'uri', 'taskId'] as const

/**
 * Returns the headers that repeat parts of a request for proxies.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function mirrorHeaders(
  { revision }: Sender,
  method: string,
  params: JsonObject | undefined,
): Record<string, string> {
  const name = NAMES.map((member) => params?.[member]).find((value) => typeof value === 'string')
  return {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': encodeHeaderText(name) }),
  }
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Encodes a value if it contains anything but visible ASCII characters, or if it looks like an encoded value. */
function encodeHeaderText(text: string): string {
  if (PLAIN.test(text) && !text.startsWith('=?base64?')) return text
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`
}
