import { requestMeta } from '@jetway-apps/test-support'

/** Returns the parts of a request without a session. */
export const post = (
  url: string,
  {
    method,
    params,
    headers,
    ...init
  }: { readonly method: string; readonly params: object } & Pick<RequestInit, 'signal' | 'headers'>,
): Promise<Response> =>
  fetch(url, {
    ...init,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params && { 'mcp-name': String(params.name) }),
      ...(headers as Readonly<Record<string, string>>),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  })

const META = requestMeta()

/** Returns a tool call. */
export const postCall = (
  url: string,
  name: string,
  args: object = {},
  init: Pick<RequestInit, 'signal' | 'headers'> = {},
): Promise<Response> => post(url, { method: 'tools/call', params: { name, arguments: args }, ...init })
