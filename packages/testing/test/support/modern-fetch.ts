import type { JsonObject } from '@jetway/core/protocol'
import { mirrorHeaders, withMeta } from '../../src/modern-request.ts'

export const JSON_POST = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
}

/** The metadata of a request. */
export interface ModernFetch {
  readonly capabilities?: JsonObject
  readonly clientInfo?: JsonObject
  /** Headers that replace or extend those that repeat parts of the body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Posts a stateless request, with the headers that repeat parts of it. */
export function fetchModern(
  url: string,
  method: string,
  params: JsonObject = {},
  { capabilities = {}, clientInfo = { name: 'client', version: '1' }, headers, signal }: ModernFetch = {},
): Promise<Response> {
  const sender = { revision: '2026-07-28', capabilities, clientInfo }
  return fetch(url, {
    method: 'POST',
    headers: { ...JSON_POST, ...mirrorHeaders(sender, method, params), ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method, params: withMeta(params, sender) }),
    ...(signal && { signal }),
  })
}
