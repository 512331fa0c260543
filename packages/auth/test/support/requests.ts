import { callTool, initialize, MODERN, requestMeta } from '@jetway-apps/test-support'

export const ORIGIN = 'https://api.example.com'
export const RESOURCE = `${ORIGIN}/mcp`

/** A request that a protected mount may receive. */
export interface TestRequest {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

const modern = callTool('run', {})
/** One request for each method and route in both eras. */
export const REQUESTS: Readonly<Record<string, TestRequest>> = {
  'POST with a session': {
    method: 'POST',
    path: '/mcp',
    body: callTool('run'),
    headers: { 'mcp-session-id': 'a' },
  },
  initialize: { method: 'POST', path: '/mcp', body: initialize() },
  'POST without a session': {
    method: 'POST',
    path: '/mcp',
    body: { ...modern, params: { ...modern.params, _meta: requestMeta() } },
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'run' },
  },
  GET: { method: 'GET', path: '/mcp', headers: { 'mcp-session-id': 'a' } },
  DELETE: { method: 'DELETE', path: '/mcp', headers: { 'mcp-session-id': 'a' } },
  '/sse': { method: 'GET', path: '/sse' },
  '/message': { method: 'POST', path: '/message?sessionId=a', body: callTool('run') },
}

export const requestTo = (
  { method, path, body, headers }: TestRequest,
  more: Readonly<Record<string, string>>,
): Request =>
  new Request(ORIGIN + path, {
    method,
    headers: {
      host: 'api.example.com',
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...more,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
