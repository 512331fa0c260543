import { ErrorCode, type McpError } from '../errors.ts'

/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
/** A JSON object with unknown members. */
export type JsonObject = { readonly [key: string]: unknown }

/**
 * The id of a request, chosen by its sender. Never null. See
 * https://modelcontextprotocol.io/specification/2025-11-25/basic#requests.
 */
export type RequestId = string | number

/** A message that requires exactly one response with the same id. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: JsonObject
}

/** A message that requires no response. */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject
}

/** The `error` member of a response. */
export interface JsonRpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The response to a request: a result or an error. */
export type JsonRpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: JsonObject }
  | { readonly jsonrpc: '2.0'; readonly id?: RequestId; readonly error: JsonRpcErrorObject }

/** Any single message. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse

/** The kind of message found in a received JSON value. */
export type Incoming =
  | { readonly kind: 'request'; readonly message: JsonRpcRequest }
  | { readonly kind: 'notification'; readonly message: JsonRpcNotification }
  | { readonly kind: 'response'; readonly message: JsonRpcResponse }
  | { readonly kind: 'invalid'; readonly reason: string; readonly id?: RequestId }

/** The maximum length of a string id. Longer ids are rejected, because every id is stored and echoed. */
const MAX_ID_LENGTH = 1024

/**
 * Returns whether a value is a valid id: a string or an integer, never null. See
 * https://modelcontextprotocol.io/specification/2025-11-25/basic#requests.
 */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value)
}

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Classifies a parsed value as a request, notification or response by its JSON-RPC 2.0 members, which must
 * match exactly. An object with both a method and a result is rejected, because peers in a chain would
 * interpret it differently.
 */
export function classify(value: unknown): Incoming {
  if (!isObject(value)) return invalid('A message must be a JSON object')
  const { id, method } = value
  const answerable = isRequestId(id) ? id : undefined
  if (value['jsonrpc'] !== '2.0') return invalid('The member "jsonrpc" must be "2.0"', answerable)
  if (method === undefined) return classifyResponse(value)
  if (typeof method !== 'string') return invalid('The member "method" must be a string', answerable)
  if ('result' in value || 'error' in value)
    return invalid('A request has no result and no error', answerable)
  const { params } = value
  if (params !== undefined && !isObject(params))
    return invalid('The member "params" must be an object', answerable)
  if (!('id' in value)) return { kind: 'notification', message: value as unknown as JsonRpcNotification }
  if (answerable === undefined)
    return invalid('The member "id" must be a string of at most 1024 characters or an integer')
  return { kind: 'request', message: value as unknown as JsonRpcRequest }
}

function classifyResponse(value: JsonObject): Incoming {
  const hasResult = 'result' in value
  if (hasResult === 'error' in value) return invalid('A message must have a method, a result or an error')
  // JSON-RPC requires `id: null` in the response to an unreadable request, but MCP omits the id.
  if (value['id'] !== undefined && value['id'] !== null && !isRequestId(value['id']))
    return invalid('The id is malformed')
  if (hasResult && !isObject(value['result'])) return invalid('The member "result" must be an object')
  if (!hasResult && !isErrorObject(value['error']))
    return invalid('The member "error" needs an integer code and a message')
  return { kind: 'response', message: value as unknown as JsonRpcResponse }
}

function isErrorObject(value: unknown): value is JsonRpcErrorObject {
  return isObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string'
}

function invalid(reason: string, id?: RequestId): Incoming {
  return id === undefined ? { kind: 'invalid', reason } : { kind: 'invalid', reason, id }
}

/** Creates a response frame from a serialised result, so that nothing is serialised twice. */
export const resultFrame = (id: RequestId, resultJson: string): string =>
  `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":${resultJson}}`

/** Creates an error frame. The id is omitted if the request could not be read. */
export function errorFrame(id: RequestId | undefined, error: JsonRpcErrorObject): string {
  const body = errorJson(error)
  return id === undefined
    ? `{"jsonrpc":"2.0","error":${body}}`
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${body}}`
}

function errorJson({ code, message, data }: JsonRpcErrorObject): string {
  try {
    return JSON.stringify({ code, message, data })
  } catch {
    return JSON.stringify({ code, message })
  }
}

/** Creates a notification frame. */
export const notificationFrame = (method: string, params?: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params })

/** Creates a request frame. */
export const requestFrame = (id: RequestId, method: string, params?: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

export const toErrorObject = ({ code, message, data }: McpError): JsonRpcErrorObject =>
  data === undefined ? { code, message } : { code, message, data }

export const parseError = (message: string): JsonRpcErrorObject => ({ code: ErrorCode.ParseError, message })
