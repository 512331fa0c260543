import { isObject, isRequestId, type JsonObject, type RequestId } from './jsonrpc.ts'

/** What every request carries where there are no sessions: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta */
export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'
/** What the client of a request can do. */
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
/** What the client of a request is called, for display only. */
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
/** The level from which on a request gets log messages; without it, none. */
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
/** What every result says of its server. */
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'
/** What ties a notification to the request for it. */
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

/**
 * The token under which a request wants progress. It may be any string or integer, `0` and `""` included, within the
 * limits of an id: it comes back with every notification.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 */
export function progressToken(params: JsonObject | undefined): RequestId | undefined {
  const meta = params?.['_meta']
  const token = isObject(meta) ? meta['progressToken'] : undefined
  return isRequestId(token) ? token : undefined
}

/**
 * What ties a message to the task that it belongs to, as its `_meta`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#related-task-metadata
 */
export const relatedTask = (taskId: string): JsonObject => ({ [RELATED_TASK]: { taskId } })

/** The key under which a message names its task. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** What a model may read at once in place of the result of a call that runs as a task. */
export const IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response'
