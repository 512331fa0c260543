export {
  ErrorCode,
  invalidParams,
  McpError,
  QuestionError,
  type QuestionFailure,
  resourceNotFound,
  ToolError,
  USAGE_ERRORS,
  UsageError,
  type UsageErrorCode,
} from './errors.ts'
export type { Answers, AskContext, Asks } from './features/tools/ask-types.ts'
export { asks } from './features/tools/asks.ts'
export type { CacheHint, CacheOptions } from './features/registry/caching.ts'
export { content, type Content } from './features/content/content.ts'
export {
  type AnyDefinition,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  type OfKind,
} from './features/define.ts'
export { defineExtension, type OfferingExtension, requireExtension } from './features/extensions.ts'
export type { Completer, Completers } from './features/completion-types.ts'
export type { ForSession } from './features/for-session.ts'
export { inputRequired, type InputRequired } from './features/tools/input-required.ts'
export type { Observation } from './features/observe.ts'
export { message, messages, type Message, type PromptMessages } from './features/prompts/prompt-messages.ts'
export type { AnyPrompt, PromptDefinition } from './features/prompts/prompt-types.ts'
export type { AddOptions, Handle } from './features/registry/registry.ts'
export { contents, type ResourceResult } from './features/resources/resource-contents.ts'
export type {
  AnyResource,
  AnyResourceTemplate,
  ResourceDefinition,
  ResourceTemplateDefinition,
  SubscriberHook,
} from './features/resources/resource-types.ts'
export { result, type ToolResult } from './features/content/result.ts'
export type { Source } from './features/source.ts'
export { displayName, type RelatedTool, type ToolHints } from './features/tools/tool-metadata.ts'
export type { AnyTool, ToolDefinition } from './features/tools/tool-types.ts'
export { tasks } from './features/tasks/task-extension.ts'
export type { VisibleRule } from './features/registry/visibility.ts'
export type { TraceContext } from './protocol/trace-context.ts'
export type { TaskStatus, TaskSupport } from './protocol/tasks.ts'
export type { Era, RevisionDate } from './protocol/revisions/revision.ts'
export type {
  Annotations,
  ClientCapabilities,
  Icon,
  Implementation,
  LogLevel,
  Meta,
  ToolAnnotations,
} from './protocol/types.ts'
export type { AuthInfo } from './stores/principal.ts'
export type { Connection } from './duplex/connection.ts'
export type { ClientView } from './call/client-view.ts'
export type { RequestContext, SessionView, TaskView } from './call/request-context.ts'
export type { LogSender } from './call/log.ts'
export type { Extension, ExtensionMethod } from './call/extension.ts'
export type { Inputs } from './call/input/inputs.ts'
export type {
  Overflowed,
  Rejected,
  RequestOutcome,
  RequestServed,
  RootsChanged,
  ServerEvents,
  ServerListener,
  SessionClosed,
  SessionOpened,
} from './call/server-events.ts'
export type { Logger } from './util/logger.ts'
export type {
  MethodContext,
  MethodMiddleware,
  MethodParams,
  MethodResults,
  Middleware,
  ParamsOf,
} from './call/middleware.ts'
export {
  elicit,
  type ElicitOptions,
  elicitUrl,
  type InferForm,
  listRoots,
  type Question,
  type Root,
  sample,
  type Sampled,
  type SampleParams,
  type SamplingMessage,
  type Seen,
} from './call/input/question.ts'
export type { RequestStateOptions } from './call/input/request-state.ts'
export { UrlElicitationRequired } from './call/input/url-elicitation.ts'
export type { MessageOptions } from './duplex/message-handler.ts'
export type { Closable, MountHandle } from './session/server-runtime.ts'
export type { Gauges, MountStats, ServerStats } from './session/stats.ts'
export type { AnySchema, InferInput, InferOutput, JsonSchema, StandardSchema } from './schema/types.ts'
export { createServer, McpServer } from './server/mcp-server.ts'
export type { LimitOptions, ServerOptions, TaskOptions, ToolOptions } from './server/options.ts'
