import type { McpServer } from '../../src/server/mcp-server.ts'
import { requestMeta } from './modern-calls.ts'

interface Reply {
  /** Missing from errors. A test that reads this expects a result. */
  readonly result: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export type ModernRequest = (method: string, params?: object, capabilities?: object) => Promise<Reply>

/** Creates a client that passes stateless requests to `server.handleMessage`. */
export const modernClient =
  (server: McpServer): ModernRequest =>
  async (method, params = {}, capabilities = {}) => {
    const _meta = requestMeta(capabilities)
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
    return JSON.parse((await server.handleMessage(message)) ?? '') as Reply
  }
