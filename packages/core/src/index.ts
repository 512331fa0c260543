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
export type { Answers, AskContext, Asks } from './features/ask-types.ts'
export { asks } from './features/asks.ts'
export type { CacheHint, CacheOptions } from './features/caching.ts'
export { content, type Content } from './features/content.ts'
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
export { inputRequired, type InputRequired } from './features/input-required.ts'
export type { Observation } from './features/observe.ts'
export { message, messages, type Message, type PromptMessages } from './features/prompt-messages.ts'
export type { AnyPrompt, PromptDefinition } from './features/prompt-types.ts'
export type { AddOptions, Handle } from './features/registry.ts'
export { contents, type ResourceResult } from './features/resource-contents.ts'
export type {
  AnyResource,
  AnyResourceTemplate,
  ResourceDefinition,
  ResourceTemplateDefinition,
  SubscriberHook,
} from './features/resource-types.ts'
export { result, type ToolResult } from './features/results.ts'
export type { Source } from './features/source.ts'
export { displayName, type RelatedTool, type ToolHints } from './features/tool-metadata.ts'
export type { AnyTool, ToolDefinition } from './features/tool-types.ts'
export { tasks } from './features/task-extension.ts'
export type { VisibleRule } from './features/visibility.ts'
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
export type { AuthInfo } from './runtime/auth.ts'
export type { Connection } from './runtime/connection.ts'
export type { ClientView } from './runtime/client-view.ts'
export type { RequestContext, SessionView, TaskView } from './runtime/context.ts'
export type { LogSender } from './runtime/log-sender.ts'
export type { Extension, ExtensionMethod } from './runtime/extension.ts'
export type { Inputs } from './runtime/inputs.ts'
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
} from './runtime/events.ts'
export type { Logger } from './runtime/logger.ts'
export type {
  MethodContext,
  MethodMiddleware,
  MethodParams,
  MethodResults,
  Middleware,
  ParamsOf,
} from './runtime/middleware.ts'
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
} from './runtime/questions.ts'
export type { RequestStateOptions } from './runtime/request-state.ts'
export { UrlElicitationRequired } from './runtime/url-required.ts'
export type { MessageOptions } from './runtime/message-handler.ts'
export type { Closable, MountHandle } from './runtime/server-runtime.ts'
export type { Gauges, MountStats, ServerStats } from './runtime/stats.ts'
export type { AnySchema, InferInput, InferOutput, JsonSchema, StandardSchema } from './schema/types.ts'
export { createServer, McpServer } from './server.ts'
export type { CallLimits, ServerOptions, TaskOptions } from './server-options.ts'
