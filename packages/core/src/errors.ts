/** The JSON-RPC error codes that Jetway sends. All of them are defined by JSON-RPC or MCP. */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  /** Used only in revisions with sessions. Newer revisions use `InvalidParams` instead. */
  ResourceNotFound: -32002,
  /** The user must open a URL first; see `UrlElicitationRequired`. Only some revisions define this code. */
  UrlElicitationRequired: -32042,
  /**
   * A header differs from the body. Like the next two codes, this code is used only for requests with their
   * own metadata.
   */
  HeaderMismatch: -32020,
  /** The client has not declared a capability that the request needs. */
  MissingClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
} as const

/** The reason for an {@link McpError} whose code depends on the revision. */
export type McpErrorReason =
  | 'resource-not-found'
  | 'busy'
  | 'ended'
  | 'missing-capability'
  | 'malformed'
  | 'insufficient-scope'

/**
 * An error intended for the peer: its code, message and data are sent unchanged. Keep the message to one
 * sentence without secrets.
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
 * A failure that the model should read. If a tool throws it, the result has `isError: true` and this message.
 * For any other thrown value, the client receives a generic message, so that no secrets leak.
 */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolError'
  }
}

/** The reason why a question to the client has no usable answer. */
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
 * Thrown if a question to the client has no usable answer. If the handler does not catch the error, the call
 * ends with the error's message: from a tool in a result with `isError`, otherwise in a JSON-RPC error.
 */
export class QuestionError extends ToolError {
  readonly reason: QuestionFailure

  constructor(reason: QuestionFailure, message: string) {
    super(message)
    this.name = 'QuestionError'
    this.reason = reason
  }
}

/**
 * Returns whether a thrown value is an instance of a class. Returns false for a malicious proxy, which throws
 * when it is checked.
 */
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

/** Creates the error for invalid parameters, such as an unknown tool, a missing prompt argument or an invalid cursor. */
export const invalidParams = (message: string, data?: unknown): McpError =>
  new McpError(ErrorCode.InvalidParams, message, data)

/** Creates the error for a malformed message. */
export const invalidRequest = (message: string): McpError => new McpError(ErrorCode.InvalidRequest, message)

/** Creates the error for a method that the negotiated revision does not have, or that the server does not offer. */
export const methodNotFound = (): McpError => new McpError(ErrorCode.MethodNotFound, 'Method not found')

/**
 * Creates the error for an unknown resource URI. The negotiated revision determines whether the code is
 * `-32002` or `-32602`.
 */
export const resourceNotFound = (uri: string): McpError =>
  new McpError(ErrorCode.InvalidParams, 'Resource not found', { uri }, 'resource-not-found')

/** Creates the generic internal error. Its correlation id identifies the cause in the server's log. */
export const internalError = (correlationId: string): McpError =>
  new McpError(ErrorCode.InternalError, `Internal error (reference ${correlationId})`)

/**
 * Creates the error for a call that needs input from a client that cannot be asked. Newer revisions define a
 * code for this error.
 */
export const missingCapability = (message: string, required: object): McpError =>
  new McpError(ErrorCode.InvalidRequest, message, { requiredCapabilities: required }, 'missing-capability')

/** Creates the error for an overloaded server. Over HTTP, it is sent with status 503 and `Retry-After`. */
export const busy = (message: string = 'The server is busy, try again shortly'): McpError =>
  new McpError(ErrorCode.InternalError, message, undefined, 'busy')

/**
 * Creates the error for a call that ended because the server or its session closed. Over HTTP, it is also
 * sent with status 503, unless part of the reply has already been sent.
 */
export const callEnded = (): McpError =>
  new McpError(ErrorCode.InternalError, 'The server ended the call', undefined, 'ended')

/** Every usage error that Jetway throws, with its meaning. `docs/reference/errors.md` explains each one. */
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
  ERR_MCP_UNSUPPORTED_HERE: 'This client cannot be asked during a call.',
  ERR_MCP_SESSION: 'A session cannot have what was to be added to it.',
  ERR_MCP_LIFESPAN: 'The lifespan of the server failed to start.',
  ERR_MCP_COMPOSE: 'A changed view does not fit the definition that it changes.',
  ERR_MCP_CYCLE: 'A server would contain itself.',
} as const

/** A key of {@link USAGE_ERRORS}. */
export type UsageErrorCode = keyof typeof USAGE_ERRORS

/** An incorrect use of Jetway. The incorrect call throws this error, which is never sent to a peer. */
export class UsageError extends Error {
  readonly code: UsageErrorCode

  constructor(code: UsageErrorCode, message: string, options?: ErrorOptions) {
    // Node prints `[cause]: undefined` for an error with an undefined cause.
    super(`${message} [${code}]`, options?.cause === undefined ? undefined : options)
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

/**
 * Returns whether a value is an array of at least one scope. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-3.3.
 */
export const areScopes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((scope) => typeof scope === 'string' && /^[!#-[\]-~]+$/.test(scope))

/**
 * The error for a caller whose token lacks scopes. Throw it in middleware or a handler, for rules that a
 * definition's `scopes` cannot express. Over HTTP, the reply has status 403 with these scopes in
 * `WWW-Authenticate`, so that the client can ask its user for them. If part of the reply has already been
 * streamed, the client receives a JSON-RPC error with the scopes in `data.scopes`.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#runtime-insufficient-scope-errors
 */
export class ScopeError extends McpError {
  /**
   * @param scopes - all scopes that the operation needs, including those that the token has
   * @throws `ERR_MCP_OPTION` for an empty list, and for scopes with characters that a header cannot contain
   */
  constructor(scopes: readonly string[]) {
    if (!areScopes(scopes))
      throw usageError('ERR_MCP_OPTION', "ScopeError needs a list of scopes, such as ['files:write']")
    const { code, message, data, reason } = scopeFault(scopes)
    super(code, message, data, reason)
    this.name = 'ScopeError'
  }
}

/** Creates the error for a caller that lacks scopes. */
export const scopeFault = (scopes: readonly string[]): McpError =>
  new McpError(
    ErrorCode.InvalidRequest,
    `Needs the scopes ${scopes.join(' ')}`,
    { scopes } satisfies ScopeData,
    'insufficient-scope',
  )
