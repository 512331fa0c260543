export { areScopes, ErrorCode, McpError, USAGE_ERRORS, UsageError, type UsageErrorCode } from './errors.ts'
export { decodeHeaderText, encodeHeaderText } from './protocol/header-text.ts'
export {
  classify,
  errorFrame,
  type Incoming,
  isObject,
  isRequestId,
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type JsonValue,
  notificationFrame,
  requestFrame,
  type RequestId,
  resultFrame,
} from './protocol/jsonrpc.ts'
export {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  ClientMethod,
  LOG_LEVEL,
  Method,
  Notification,
  PROTOCOL_VERSION,
  RELATED_TASK,
  SERVER_INFO,
  SUBSCRIPTION_ID,
  TaskMethod,
} from './protocol/methods.ts'
export {
  DEFAULT_PARSE_LIMITS,
  type Parsed,
  parseBytes,
  type ParseLimits,
  parseText,
} from './protocol/parse.ts'
export { resolveRevisions, REVISIONS } from './protocol/revisions/index.ts'
export type { Era, Revision, RevisionDate } from './protocol/revisions/revision.ts'
export {
  type Annotations,
  type AudioContent,
  type CallToolResult,
  type ClientCapabilities,
  type CompleteResult,
  type ContentBlock,
  type EmbeddedResource,
  type GetPromptResult,
  type Icon,
  type ImageContent,
  type Implementation,
  isFinal,
  LOG_LEVELS,
  type LogLevel,
  type Meta,
  type Prompt,
  type PromptArgument,
  type PromptMessage,
  type ReadResourceResult,
  type Resource,
  type ResourceContents,
  type ResourceLink,
  type ResourceTemplate,
  type Role,
  type SamplingContent,
  type ServerCapabilities,
  TASKS_EXTENSION,
  type TaskStatus,
  type TaskSupport,
  type TextContent,
  type Tool,
  type ToolAnnotations,
  type ToolResultContent,
  type ToolUseContent,
} from './protocol/types.ts'
export { readTraceContext, type TraceContext } from './protocol/trace-context.ts'
export { type FormField, formIssues, type FormSchema } from './schema/uses/elicitation-form.ts'
export {
  findHeaderParameters,
  type HeaderParameter,
  type HeaderParameters,
} from './schema/uses/header-parameters.ts'
export { describeIssues } from './schema/issues.ts'
export { displayName } from './features/tools/tool-metadata.ts'
export {
  check as checkOption,
  checkNames,
  type NameHints,
  nearestName,
  type OptionNames,
} from './util/check-options.ts'
