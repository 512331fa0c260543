import { isObject, isRequestId, type JsonObject, type RequestId } from './jsonrpc.ts'

/** The names of all methods that Jetway sends or supports. */
export const Method = {
  Initialize: 'initialize',
  Ping: 'ping',
  ListTools: 'tools/list',
  CallTool: 'tools/call',
  ListResources: 'resources/list',
  ListResourceTemplates: 'resources/templates/list',
  ReadResource: 'resources/read',
  Subscribe: 'resources/subscribe',
  Unsubscribe: 'resources/unsubscribe',
  ListPrompts: 'prompts/list',
  GetPrompt: 'prompts/get',
  Complete: 'completion/complete',
  SetLogLevel: 'logging/setLevel',
  Discover: 'server/discover',
  Listen: 'subscriptions/listen',
} as const

/** The methods for tasks, which differ between revisions. */
export const TaskMethod = {
  Get: 'tasks/get',
  Result: 'tasks/result',
  List: 'tasks/list',
  Cancel: 'tasks/cancel',
} as const

/** Requests that a server sends. */
export const ClientMethod = {
  Elicit: 'elicitation/create',
  Sample: 'sampling/createMessage',
  ListRoots: 'roots/list',
} as const

/** The names of the protocol's notifications. */
export const Notification = {
  Initialized: 'notifications/initialized',
  Cancelled: 'notifications/cancelled',
  Progress: 'notifications/progress',
  Message: 'notifications/message',
  ToolsListChanged: 'notifications/tools/list_changed',
  ResourcesListChanged: 'notifications/resources/list_changed',
  PromptsListChanged: 'notifications/prompts/list_changed',
  ResourceUpdated: 'notifications/resources/updated',
  ElicitationComplete: 'notifications/elicitation/complete',
  RootsListChanged: 'notifications/roots/list_changed',
  TaskStatus: 'notifications/tasks/status',
  Task: 'notifications/tasks',
  Acknowledged: 'notifications/subscriptions/acknowledged',
} as const

/**
 * The keys in the `_meta` of every request in revisions without sessions. See
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#meta.
 */
export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'
/** The capabilities of the client that sent a request. */
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
/** The name and version of the client that sent a request, for display only. */
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
/** The minimum level of the log messages that are sent for a request. Without it, none are sent. */
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
/** The server's name and version, in every result. */
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'
/** The id of the subscription to which a notification belongs. */
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

/**
 * Returns the token that a request supplies to receive progress: any string or integer, including `0` and `""`.
 * The limits on ids also apply to the token, because every notification repeats it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 */
export function progressToken(params: JsonObject | undefined): RequestId | undefined {
  const meta = params?.['_meta']
  const token = isObject(meta) ? meta['progressToken'] : undefined
  return isRequestId(token) ? token : undefined
}

/**
 * Returns the `_meta` of a message that belongs to a task.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#related-task-metadata
 */
export const relatedTask = (taskId: string): JsonObject => ({ [RELATED_TASK]: { taskId } })

/** The key under which a message refers to its task. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/**
 * The key for text that a model may read immediately, before the result of a call that is running as a task.
 */
export const IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response'
