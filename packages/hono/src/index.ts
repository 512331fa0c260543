export { mcp } from './middleware.ts'
export type { McpMiddleware, McpMiddlewareOptions, McpSelector } from './middleware.ts'
