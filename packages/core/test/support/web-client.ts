import { type FetchOptions, toFetch } from '../../src/http/fetch.ts'
import { bearer } from '../../src/http/guard/bearer.ts'
import type { McpServer } from '../../src/server/mcp-server.ts'

interface Reply {
  /** Missing from errors. A test that reads this expects a result. */
  readonly result: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A client with one session over HTTP. */
export interface WebClient {
  readonly initialized: Reply
  request(method: string, params?: object): Promise<Reply>
  /** Resolves to the reply's HTTP status and unparsed body. Every request has the same id. */
  text(method: string, params?: object): Promise<string>
}

/** Serves with `toFetch`, which takes the bearer token as the principal. Every client has its own session. */
export function serveWeb(server: McpServer): { open(token?: string, version?: string): Promise<WebClient> } {
  const options: FetchOptions = {
    authenticate: bearer({ verify: (token) => ({ principal: token, scopes: token.split('+') }) }),
  }
  const handler = toFetch(server, options)
  return {
    open: async (token = 'anyone', version = '2025-11-25') => {
      const session: Record<string, string> = {}
      const send = (body: object): Promise<Response> =>
        handler(
          new Request('http://localhost/mcp', {
            method: 'POST',
            headers: {
              accept: 'application/json, text/event-stream',
              'content-type': 'application/json',
              authorization: `Bearer ${token}`,
              ...session,
            },
            body: JSON.stringify({ jsonrpc: '2.0', ...body }),
          }),
        )
      const ask = (method: string, params: object): Promise<Response> => send({ id: 1, method, params })
      const first = await ask('initialize', {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: 'web', version: '1' },
      })
      session['mcp-session-id'] = first.headers.get('mcp-session-id') ?? ''
      session['mcp-protocol-version'] = version
      await send({ method: 'notifications/initialized' })
      return {
        initialized: (await first.json()) as Reply,
        request: async (method, params = {}) => (await (await ask(method, params)).json()) as Reply,
        text: async (method, params = {}) => {
          const response = await ask(method, params)
          return `${response.status} ${await response.text()}`
        },
      }
    },
  }
}
