export {
  ErrorCode,
  invalidParams,
  McpError,
  QuestionError,
  resourceNotFound,
  ToolError,
  UsageError,
} from './errors.ts'
export { asks } from './features/tools/asks.ts'
export { content } from './features/content/content.ts'
export { result } from './features/content/result.ts'
export { definePrompt, defineResource, defineResourceTemplate, defineTool } from './features/define.ts'
export { inputRequired } from './features/tools/input-required.ts'
export { message, messages } from './features/prompts/prompt-messages.ts'
export { contents } from './features/resources/resource-contents.ts'
export { elicit, elicitUrl, listRoots, sample } from './call/input/question.ts'
export { UrlElicitationRequired } from './call/input/url-elicitation.ts'
export { bearer, Rejection } from './http/guard/bearer.ts'
export { createEndpoint, type EdgeEndpointOptions, type EdgeFetchOptions, toFetch } from './http/edge.ts'
export { type EdgeServerOptions, McpServer } from './server/edge.ts'
