import { request } from '@jetway-apps/test-support'
import type { Answer, Harness, Sent } from '../http/support/harness.ts'

export const MODERN = '2026-07-28'

/** Returns the `_meta` that every stateless request contains. */
export const requestMeta = (capabilities: object = {}): object => ({
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1' },
})

export interface ModernCall {
  readonly capabilities?: object
  readonly meta?: object
  readonly headers?: Sent['headers']
  readonly more?: Sent | undefined
}

/** Sends a request whose metadata is in the body and repeated in the headers. */
export function callModern(
  { post }: Pick<Harness, 'post'>,
  method: string,
  params: object = {},
  { capabilities, meta, headers, more }: ModernCall = {},
): Promise<Answer> {
  const { name, uri, taskId } = params as Readonly<Record<string, string | undefined>>
  return post(
    request(method, { ...params, _meta: { ...requestMeta(capabilities), ...meta } }, 7),
    {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      'mcp-name': name ?? uri ?? taskId,
      ...headers,
    },
    more,
  )
}
