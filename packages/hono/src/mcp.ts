import { createEndpoint, type EndpointOptions, routePaths } from '@jetway/core/http'
import { createMiddleware, type McpMiddleware, type WithEndpoint } from './middleware.ts'

/** Where the server answers, and everything that an endpoint takes. A server that declares its locals needs `locals`. */
export type McpMiddlewareOptions<Locals = unknown> = WithEndpoint<EndpointOptions, Locals>

/**
 * Mounts an MCP server on Hono: `app.use(mcp({ server, path: '/mcp' }))`.
 *
 * It answers its own path, below any base path, and calls `next()` for all others. Replies go through Hono's context,
 * so headers that middleware has set before (CORS, a request id) are kept, on streams too.
 */
export function mcp<Locals = unknown>(options: McpMiddlewareOptions<Locals>): McpMiddleware {
  return createMiddleware<Locals>(options, { createEndpoint, routePaths })
}
