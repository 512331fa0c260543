export { mcp } from './middleware.ts'
export type { McpMiddleware, McpMiddlewareOptions } from './middleware.ts'
