import { isObject, type JsonObject } from '@jetway/core/protocol'

/** What a client says with every request, where no session remembers it. */
export interface Sender {
  readonly revision: string
  readonly capabilities: JsonObject
  readonly clientInfo: JsonObject
}

/**
 * The parameters of a request that stands for itself. What a test puts into `_meta` goes over what the sender says.
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

/** What of the parameters `Mcp-Name` repeats. A method has one of them at most that is a text. */
const NAMES = ['name', 'uri', 'taskId'] as const

/**
 * The headers that repeat parts of a request, so that proxies need not read it.
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

/** A header carries visible ASCII alone; what would be taken for an encoding is encoded, too. */
function encodeHeaderText(text: string): string {
  if (PLAIN.test(text) && !text.startsWith('=?base64?')) return text
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`
}
