export { mcp, type McpMiddlewareOptions } from './mcp.ts'
export type { McpMiddleware, McpSelector } from './middleware.ts'
export { resourceMetadata } from './well-known.ts'
