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
} from './jsonrpc.ts'
export { Method, Notification, TaskMethod } from './methods.ts'
export { DEFAULT_PARSE_LIMITS, type Parsed, parseBytes, type ParseLimits, parseText } from './parse.ts'
export { REVISIONS } from './revisions/index.ts'
export type { Era, Revision, RevisionDate } from './revisions/revision.ts'
