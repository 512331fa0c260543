import { createEndpoint, type EndpointOptions, routePaths } from '@jetway/core/http'
import { collectStream, nodeConnection } from '@jetway/node/connection'
import { createMiddleware, type McpMiddleware, type WithEndpoint } from './middleware.ts'

/**
 * The options of the middleware and of its endpoint. `locals` is required if the server declares the type of
 * `ctx.locals`.
 */
export type McpMiddlewareOptions<Locals = unknown> = WithEndpoint<EndpointOptions, Locals>

/**
 * Mounts an MCP server on Hono: `app.use(mcp({ server, path: '/mcp' }))`.
 *
 * It handles requests to its own path, below any base path, and calls `next()` for all other requests. Replies
 * and streams keep the headers that earlier middleware has set, such as CORS headers or a request id.
 */
export function mcp<Locals = unknown>(options: McpMiddlewareOptions<Locals>): McpMiddleware {
  return createMiddleware<Locals>(options, {
    createEndpoint,
    routePaths,
    node: { collectStream, connection: nodeConnection },
  })
}
