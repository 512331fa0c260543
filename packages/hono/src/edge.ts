export { mcp, type EdgeMiddlewareOptions } from './mcp-edge.ts'
export type { McpMiddleware, McpSelector } from './middleware.ts'
export { resourceMetadata } from './well-known.ts'
