export {
  ErrorCode,
  invalidParams,
  McpError,
  QuestionError,
  resourceNotFound,
  ScopeError,
  ToolError,
  UsageError,
} from './errors.ts'
export { type Answers, type AskContext, type Asks, asks } from './features/tools/asks.ts'
export { content, type Content, result, type ToolResult } from './features/content/content.ts'
export {
  type AnyDefinition,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  type OfKind,
  type Source,
} from './features/define.ts'
export { defineExtension, type OfferingExtension, requireExtension } from './features/extensions.ts'
export type { Completer, CompletionState, Suggestions } from './features/completers.ts'
export type { ForSession } from './features/for-session.ts'
export type { Notifier } from './features/notifier.ts'
export { inputRequired, type InputRequired } from './features/tools/input-required.ts'
export type { Observation } from './features/observe.ts'
export { message, messages, type Message, type PromptMessages } from './features/prompts/prompt-messages.ts'
export type { AnyPrompt, PromptDefinition } from './features/prompts/prompt-types.ts'
export type { Handle } from './features/registry/registry.ts'
export { contents, type ResourceResult } from './features/resources/resource-contents.ts'
export type {
  AnyResource,
  AnyResourceTemplate,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from './features/resources/resource-types.ts'
export type { AnyTool, ToolDefinition } from './features/tools/tool-types.ts'
export { tasks } from './features/tasks/task-extension.ts'
export type { VisibleRule } from './features/registry/handler.ts'
export type { AuthInfo } from './stores/principal.ts'
export type { ClientView, RequestContext, SessionView, TaskView } from './call/request-context.ts'
export type { LogSender } from './call/log.ts'
export type { Extension } from './call/extension.ts'
export type { Inputs } from './call/input/inputs.ts'
export type { ServerEvents } from './call/server-events.ts'
export type { Logger } from './util/logger.ts'
export type { MethodMiddleware, MethodResults, Middleware } from './call/middleware.ts'
export {
  elicit,
  elicitUrl,
  listRoots,
  type Question,
  type Root,
  sample,
  type Sampled,
  type SamplingMessage,
  type Seen,
} from './call/input/question.ts'
export { UrlElicitationRequired } from './call/input/url-elicitation.ts'
export type { MountHandle } from './session/server-runtime.ts'
export type { ServerStats } from './session/stats.ts'
export type { AnySchema, InferInput, InferOutput, JsonSchema, StandardSchema } from './schema/types.ts'
export { createServer, McpServer } from './server/mcp-server.ts'
export type { ServerOptions } from './server/options.ts'
