export {
  type AuthResponse,
  type AuthHeaders,
  type AuthProvider,
  type AuthRequest,
  bearerToken,
  MAX_AUTH_RETRIES,
} from './auth/provider.ts'
export { type AuthFetch, withAuth } from './auth/with-auth.ts'
export { Client, type ClientStats, type CompletionRef, type ServerDetails } from './client/client.ts'
export type { IgnoredMessages } from './connection/connection.ts'
export { createEraCache, type EraCache } from './options/era-cache.ts'
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
export type { ClientEvents, ClientListener } from './client/events.ts'
export { logTo } from './client/log-to.ts'
export type {
  ClientHandlers,
  ElicitResult,
  ElicitRequest,
  ElicitUrlResult,
  ElicitUrlRequest,
  HandlerContext,
  Root,
  SampleResult,
  SampleRequest,
} from './options/handlers.ts'
export { UrlElicitationRequiredError } from './input/url-elicitation.ts'
export type { Page } from './client/lists.ts'
export type { CacheHints } from './client/results.ts'
export type { ClientTask, TaskState } from './client/tasks.ts'
export { type RemoteTool, remoteTool } from './client/remote-tool.ts'
export type { ToolArgs, ToolInput, ToolOutput, TypedTool, TypedToolResult } from './client/typed-tool.ts'
export type { ClientOptions, Progress, RequestOptions } from './options/options.ts'
export type { SavedSession } from './client/saved-session.ts'
export type {
  ClientTransport,
  ClientTransportHandlers,
  TransportFactory,
  SendContext,
  TransportClose,
} from './transport/client-transport.ts'
export { duplex, type DuplexOptions } from './transport/duplex.ts'
export { ErrorCode, McpError } from '@jetway/core/protocol'
