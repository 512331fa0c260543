import { createEndpoint, type EdgeEndpointOptions } from '@jetway/core/edge'
import { routePaths } from '@jetway/core/http'
import { createMiddleware, type McpMiddleware, type WithEndpoint } from './middleware.ts'

/**
 * The options of the middleware and of an edge endpoint. `locals` is required if the server declares the type
 * of `ctx.locals`.
 */
export type EdgeMiddlewareOptions<Locals = unknown> = WithEndpoint<EdgeEndpointOptions, Locals>

/**
 * Mounts an MCP server on Hono without sessions, for runtimes such as Workers:
 * `app.use(mcp({ server, path: '/mcp' }))`.
 */
export function mcp<Locals = unknown>(options: EdgeMiddlewareOptions<Locals>): McpMiddleware {
  return createMiddleware<Locals>(options, { createEndpoint, routePaths })
}
