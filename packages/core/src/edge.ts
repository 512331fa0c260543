export {
  ErrorCode,
  invalidParams,
  McpError,
  resourceNotFound,
  ScopeError,
  ToolError,
  UsageError,
} from './errors.ts'
export { content, result } from './features/content/content.ts'
export { definePrompt, defineResource, defineTool } from './features/define.ts'
export { message, messages } from './features/prompts/prompt-messages.ts'
export { contents } from './features/resources/resource-contents.ts'
export { Rejection } from './http/authenticate.ts'
export { bearer } from './http/guard/bearer.ts'
export { createEndpoint, type EdgeEndpointOptions, type EdgeFetchOptions, toFetch } from './http/edge.ts'
export { type EdgeServerOptions, McpServer } from './server/edge.ts'
