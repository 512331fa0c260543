export {
  type AuthAnswer,
  type AuthHeaders,
  type AuthProvider,
  type AuthRequest,
  bearerToken,
  MAX_AUTH_RETRIES,
} from './auth/provider.ts'
export { type AuthFetch, withAuth } from './auth/with-auth.ts'
export { Client, type ClientStats, type CompletionRef, type ServerView } from './client.ts'
export type { Ignored } from './conversation/conversation.ts'
export { createEraCache, type EraCache } from './eras/era-cache.ts'
export {
  ClientError,
  type ClientErrorCode,
  ConnectionClosedError,
  OutputMismatchError,
  RequestTimeoutError,
  SessionLostError,
  TransportError,
  UnsupportedRevisionError,
} from './errors.ts'
export type { ClientEvents, ClientListener } from './features/events.ts'
export { logTo } from './features/log-to.ts'
export type {
  ClientHandlers,
  ElicitAnswer,
  ElicitRequest,
  ElicitUrlAnswer,
  ElicitUrlRequest,
  QuestionContext,
  Root,
  SampleAnswer,
  SampleRequest,
} from './features/questions.ts'
export { UrlElicitationRequiredError } from './features/required-urls.ts'
export type { CacheHints, Page } from './features/results.ts'
export type { ClientTask, TaskState } from './features/tasks.ts'
export type { ToolArgs, ToolInput, ToolOutput, TypedTool, TypedToolResult } from './features/typed-tool.ts'
export type { ClientOptions, Progress, RequestOptions } from './options.ts'
export type { SavedSession } from './saved-session.ts'
export type {
  ClientTransport,
  ClientTransportHandlers,
  Dial,
  Origin,
  SendContext,
  TransportClose,
} from './transport/client-transport.ts'
export { duplex, type DuplexOptions } from './transport/duplex.ts'
export { ErrorCode, McpError } from '@jetway/core/protocol'
