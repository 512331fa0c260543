import type { Answer, Harness, Sent } from './harness.ts'

const MODERN = '2026-07-28'
const MODERN_META: Readonly<Record<string, unknown>> = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1' },
}

/** Sends a request that carries its own metadata, with the headers that repeat parts of it. */
export function modernCall(
  { post }: Pick<Harness, 'post'>,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { headers, more }: { readonly headers?: Sent['headers']; readonly more?: Sent } = {},
): Promise<Answer> {
  const name = params['name'] ?? params['uri']
  return post(
    { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: MODERN_META } },
    {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    more,
  )
}
