import { ErrorCode, McpError } from '../../errors.ts'
import { isObject, type JsonObject, type JsonRpcNotification, type JsonRpcRequest } from '../jsonrpc.ts'
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from '../meta.ts'
import { type ClientCapabilities, type Implementation, LOG_LEVELS, type LogLevel } from '../types.ts'

/** The metadata of a stateless request, and its sender. */
export interface RequestMeta {
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly client: Implementation | undefined
  /** Undefined if the sender wants no log messages. */
  readonly logLevel: LogLevel | undefined
}

/** Whether a message names its own protocol version, and so does not belong to a session. */
export const namesVersion = ({ params }: JsonRpcRequest | JsonRpcNotification): boolean => {
  const meta = params?.['_meta']
  return isObject(meta) && Object.hasOwn(meta, PROTOCOL_VERSION)
}

/**
 * Reads the metadata of a request.
 *
 * @throws McpError that names the missing or malformed member
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export function readRequestMeta({ params }: JsonRpcRequest): RequestMeta {
  const meta: JsonObject = isObject(params?.['_meta']) ? params['_meta'] : {}
  const version = meta[PROTOCOL_VERSION]
  const capabilities = meta[CLIENT_CAPABILITIES]
  const client = meta[CLIENT_INFO]
  const logLevel = meta[LOG_LEVEL]
  if (typeof version !== 'string') throw malformed(`_meta["${PROTOCOL_VERSION}"] must be a string`)
  if (!isObject(capabilities)) throw malformed(`_meta["${CLIENT_CAPABILITIES}"] must be an object`)
  if (client !== undefined && !isImplementation(client))
    throw malformed(`_meta["${CLIENT_INFO}"] must be an object with a name and a version`)
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw malformed(`_meta["${LOG_LEVEL}"] must be one of ${LOG_LEVELS.join(', ')}`)
  return { version, capabilities, client, logLevel }
}

/** The error for required metadata that is missing or malformed. */
const malformed = (message: string): McpError =>
  new McpError(ErrorCode.InvalidParams, message, undefined, 'malformed')

const isImplementation = (value: unknown): value is Implementation & JsonObject =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'

const isLogLevel = (value: unknown): value is LogLevel => (LOG_LEVELS as readonly unknown[]).includes(value)
