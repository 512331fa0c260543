import type { TransportClose } from './transport/client-transport.ts'

/** The code of an error, for use in programs. Messages are for people, and may change. */
export type ClientErrorCode =
  | 'not-connected'
  | 'closed'
  | 'timeout'
  | 'cancelled'
  | 'too-many-calls'
  | 'unsupported-revision'
  | 'not-supported'
  | 'invalid-response'
  | 'output-mismatch'
  | 'input-unavailable'
  | 'too-many-rounds'
  | 'endless-list'
  | 'transport'
  | 'session-lost'
  | 'unknown-server'
  | 'unknown-tool'
  | 'not-approved'
  | 'unavailable'
  | 'skill-refused'

/**
 * A failure in the client: a lost connection, an exceeded limit or an invalid response. Errors that the server
 * sends are `McpError`s, and an aborted signal rejects with its own reason.
 */
export class ClientError extends Error {
  readonly code: ClientErrorCode
  /**
   * Whether it is certain that the server has not processed the request, so that the request can safely be
   * sent again.
   */
  readonly unprocessed: boolean = false

  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** The connection was closed, or it ended before the response. */
export class ConnectionClosedError extends ClientError {
  readonly close: TransportClose | undefined
  override readonly unprocessed: boolean

  constructor(message: string, close?: TransportClose, how: { readonly unprocessed?: boolean } = {}) {
    super('closed', message, close?.kind === 'error' ? { cause: close.error } : undefined)
    this.close = close
    this.unprocessed = how.unprocessed ?? false
  }
}

/**
 * Returns why the connection ended, for example with the server's exit code. The text is appended to a message.
 */
export const because = (close: TransportClose | undefined): string =>
  close?.kind === 'error' && close.error instanceof Error ? `: ${close.error.message}` : ''

/** Neither a response nor progress arrived in time. The client has cancelled the request. */
export class RequestTimeoutError extends ClientError {
  readonly method: string
  readonly timeoutMs: number

  /** @param option - the option that sets the timeout */
  constructor(method: string, timeoutMs: number, option = 'timeoutMs') {
    super('timeout', `No answer to ${method} within ${timeoutMs} ms. Set ${option} to wait longer`)
    this.method = method
    this.timeoutMs = timeoutMs
  }
}

/** The client and the server have no revision in common. */
export class UnsupportedRevisionError extends ClientError {
  /** The versions that the server has named. */
  readonly offered: readonly string[]

  constructor(message: string, offered: readonly string[], options?: ErrorOptions) {
    super('unsupported-revision', message, options)
    this.offered = offered
  }
}

/** A structured result does not match the tool's `outputSchema`. */
export class OutputMismatchError extends ClientError {
  readonly tool: string
  /** The mismatching result, for hosts that want to use it anyway. */
  readonly result: object

  constructor(tool: string, problem: string, result: object) {
    super('output-mismatch', `The result of the tool ${tool} does not match its schema: ${problem}`)
    this.tool = tool
    this.result = result
  }
}

/** A transport could not deliver a message, or has lost the response. Transports may extend this class. */
export class TransportError extends ClientError {
  /** The HTTP status. */
  readonly status: number | undefined
  /** Whether the auth provider failed. If so, there may be no problem with the server. */
  readonly authFailed: boolean
  override readonly unprocessed: boolean

  constructor(
    message: string,
    options: ErrorOptions & {
      readonly status?: number | undefined
      readonly authFailed?: boolean
      readonly unprocessed?: boolean
    } = {},
  ) {
    super('transport', message, options)
    this.status = options.status
    this.authFailed = options.authFailed ?? false
    this.unprocessed = options.unprocessed ?? false
  }
}

/**
 * The server has lost the session. The client opens a new session automatically. A transport that throws this
 * error has forgotten the session id.
 */
export class SessionLostError extends ClientError {
  override readonly unprocessed: boolean = true

  constructor(message = 'The server has lost the session', options?: ErrorOptions) {
    super('session-lost', message, options)
  }
}

export const invalidResponse = (method: string, problem: string): ClientError =>
  new ClientError('invalid-response', `The answer to ${method} is malformed: ${problem}`)

/**
 * Returns the error for a later step of a call. Its `unprocessed` is false, because part of the call has been
 * processed.
 */
export function asStarted(error: unknown): unknown {
  if (!(error instanceof ClientError) || !error.unprocessed) return error
  if (error instanceof ConnectionClosedError) return new ConnectionClosedError(error.message, error.close)
  const status = error instanceof TransportError ? error.status : undefined
  return new TransportError(error.message, { cause: error, status })
}
