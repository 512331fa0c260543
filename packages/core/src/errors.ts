/** The JSON-RPC error codes that Jetway sends. Jetway's own codes would be outside the reserved range. */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  /** Session revisions only; newer ones say the same with `InvalidParams`. */
  ResourceNotFound: -32002,
  /** The user has to open an address first; see `UrlElicitationRequired`. Not in every revision. */
  UrlElicitationRequired: -32042,
  /** A header does not say what the body says. Requests with their own metadata only, like the next two. */
  HeaderMismatch: -32020,
  /** The client has not declared what the request needs. */
  MissingClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
} as const

/** The part of an {@link McpError} that a revision may spell with another code. */
export type McpErrorReason =
  | 'resource-not-found'
  | 'busy'
  | 'ended'
  | 'missing-capability'
  | 'malformed'
  | 'insufficient-scope'

/**
 * An error that its author means for the peer: code, message and data are sent as they are.
 * Keep the message to one sentence and free of secrets.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#responses
 */
export class McpError extends Error {
  readonly code: number
  readonly data: unknown
  /** @internal */
  readonly reason: McpErrorReason | undefined

  constructor(code: number, message: string, data?: unknown, reason?: McpErrorReason) {
    super(message)
    this.name = 'McpError'
    this.code = code
    this.data = data
    this.reason = reason
  }
}

/**
 * A failure that the model should read: a tool that throws it answers `isError: true` with this text.
 * Every other thrown value is answered with a generic text, so that no secret leaks.
 */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolError'
  }
}

/** Why a question to the client's side has no usable answer. */
export type QuestionFailure =
  | 'declined'
  | 'cancelled'
  | 'invalid'
  | 'refused'
  | 'timeout'
  | 'closed'
  | 'too-many'
  | 'too-large'

/**
 * A question to the client's side came to nothing. Uncaught it ends the call with its text: as `isError` in a
 * tool, as a JSON-RPC error elsewhere.
 */
export class QuestionError extends ToolError {
  readonly reason: QuestionFailure

  constructor(reason: QuestionFailure, message: string) {
    super(message)
    this.name = 'QuestionError'
    this.reason = reason
  }
}

/** Whether a thrown value is of a class. A hostile proxy may throw at the very question. */
export function isErrorOf<T extends Error>(
  type: abstract new (...args: never[]) => T,
  error: unknown,
): error is T {
  try {
    return error instanceof type
  } catch {
    return false
  }
}

/** Bad parameters: an unknown tool or prompt, a missing prompt argument, an invalid cursor. */
export const invalidParams = (message: string, data?: unknown): McpError =>
  new McpError(ErrorCode.InvalidParams, message, data)

/** A malformed message. */
export const invalidRequest = (message: string): McpError => new McpError(ErrorCode.InvalidRequest, message)

/** A method that the negotiated revision does not have, or a feature that the server does not offer. */
export const methodNotFound = (): McpError => new McpError(ErrorCode.MethodNotFound, 'Method not found')

/** No resource has this URI. Sent as `-32002` or `-32602`, whichever the negotiated revision asks for. */
export const resourceNotFound = (uri: string): McpError =>
  new McpError(ErrorCode.InvalidParams, 'Resource not found', { uri }, 'resource-not-found')

/** The generic internal error. The correlation id finds the cause in the server's own log. */
export const internalError = (correlationId: string): McpError =>
  new McpError(ErrorCode.InternalError, `Internal error (reference ${correlationId})`)

/** The call needs input, and this client cannot be asked. Newer revisions define a code for it. */
export const missingCapability = (message: string, required: object): McpError =>
  new McpError(ErrorCode.InvalidRequest, message, { requiredCapabilities: required }, 'missing-capability')

/** Too much work at once. Over HTTP it travels with status 503 and `Retry-After`. */
export const busy = (message: string = 'The server is busy, try again shortly'): McpError =>
  new McpError(ErrorCode.InternalError, message, undefined, 'busy')

/**
 * A close or the end of a session ended the call. Over HTTP it has status 503
 * too, if nothing was sent before.
 */
export const callEnded = (): McpError =>
  new McpError(ErrorCode.InternalError, 'The server ended the call', undefined, 'ended')

/** Every usage error that Jetway throws, with what it means. `docs/reference/errors.md` explains each. */
export const USAGE_ERRORS = {
  ERR_MCP_DUPLICATE_NAME: 'Something with this name or URI is registered already.',
  ERR_MCP_INVALID_NAME: 'A name is empty, too long or has characters that clients refuse.',
  ERR_MCP_INVALID_DEFINITION: 'A definition lacks a member or has one of the wrong kind.',
  ERR_MCP_INVALID_ICON: 'An icon is neither an https: nor a data: URL.',
  ERR_MCP_SCHEMA_UNSUPPORTED: 'The schema is of a library or version that gives no JSON Schema.',
  ERR_MCP_SCHEMA_INVALID: 'The schema does not compile, or is not of the kind that is needed here.',
  ERR_MCP_URI_TEMPLATE: 'The URI template is not valid RFC 6570, or goes beyond the limits.',
  ERR_MCP_OPTION: 'An option or an argument is wrong, or an option is unknown.',
  ERR_MCP_REVISION: 'A protocol revision is unknown or not served.',
  ERR_MCP_IN_USE: 'Another server uses the streams already.',
  ERR_MCP_CLOSED: 'The server, mount or connection is closed already.',
  ERR_MCP_UNSUPPORTED_HERE: 'The connection cannot carry a request to the client while a call runs.',
  ERR_MCP_SESSION: 'A session cannot have what was to be added to it.',
  ERR_MCP_LIFESPAN: 'The lifespan of the server failed to start.',
} as const

/** A key of {@link USAGE_ERRORS}. */
export type UsageErrorCode = keyof typeof USAGE_ERRORS

/** A mistake in how Jetway is used, thrown where it was made. It never reaches a peer. */
export class UsageError extends Error {
  readonly code: UsageErrorCode

  constructor(code: UsageErrorCode, message: string, options?: ErrorOptions) {
    super(`${message} [${code}]`, options)
    this.name = 'UsageError'
    this.code = code
  }
}

export const usageError = (code: UsageErrorCode, message: string, options?: ErrorOptions): UsageError =>
  new UsageError(code, message, options)

/** The `data` of an error that names scopes. */
export interface ScopeData {
  readonly scopes: readonly string[]
}

/** Whether a value is a list of one scope or more: https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
export const areScopes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((scope) => typeof scope === 'string' && /^[!#-[\]-~]+$/.test(scope))

/**
 * The caller's token lacks scopes, for rules that `scopes` of a definition cannot express. Throw it in
 * middleware or a handler. Over HTTP the request gets 403 with these scopes in `WWW-Authenticate`, so that the
 * client can ask its user for them, if nothing has been streamed; otherwise a JSON-RPC error with them in
 * `data.scopes`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#runtime-insufficient-scope-errors
 */
export class ScopeError extends McpError {
  /**
   * @param scopes - all that the operation needs, also those that the token has
   * @throws `ERR_MCP_OPTION` for an empty list, and for scopes that no header can carry
   */
  constructor(scopes: readonly string[]) {
    if (!areScopes(scopes))
      throw usageError('ERR_MCP_OPTION', "ScopeError needs a list of scopes, such as ['files:write']")
    const { code, message, data, reason } = scopeFault(scopes)
    super(code, message, data, reason)
    this.name = 'ScopeError'
  }
}

/** The error of a caller that lacks scopes. */
export const scopeFault = (scopes: readonly string[]): McpError =>
  new McpError(
    ErrorCode.InvalidRequest,
    `Needs the scopes ${scopes.join(' ')}`,
    { scopes } satisfies ScopeData,
    'insufficient-scope',
  )
